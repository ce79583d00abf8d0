"""The same of watched code and images: what the simulation found when branches and tags moved."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.simulation import webhooks
from tests.simulation.pushes import CODE, IMAGE, TORCH
from tests.simulation.stage import Held, Interrupted

from junbi.pipeline import image_door, receive, work
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from tests.simulation.stage import Stage


@pytest.mark.parametrize("line", [CODE, TORCH])
def test_what_was_read_first_does_not_replace_what_was_read_since(stage: Stage, line: str) -> None:
    """A worker reads where a line is and is paused past its lease; another reads what is there by then: that counts,
    and nothing is launched for the older.
    """
    history, name, kind = {
        CODE: (stage.git.history, "refs/heads/main", f"{0:039}"),
        TORCH: (stage.registry.history, "latest", f"sha256:{0:063}"),
    }[line]
    history.move(name, kind + "1")
    stage.watch(line)
    stage.settle()
    history.move(name, kind + "2")

    def meanwhile() -> None:
        if history.now[name] == kind + "2":
            stage.time.pass_(400.0)
            history.move(name, kind + "3")
            work.tick(stage.ports())

    refs = Interrupted(stage.git, "refs", meanwhile).refs
    paused = stage.ports(refs=refs, registry=lambda line: Interrupted(stage.registry.source(line), "digest", meanwhile))
    stage.time.pass_(301.0)
    work.tick(paused)
    stage.settle()
    assert stage.trained_with(line) == ["1", "3"]


@pytest.mark.usefixtures("secret")
def test_a_push_that_is_told_late_makes_no_old_tag_the_newest(stage: Stage) -> None:
    """Two tags are found by a look; the push of the older is told minutes later: the newest stays what it was."""
    stage.registry.history.move("v1.0", f"sha256:{0:063}1")
    stage.watch(TORCH, tags=r"v(?P<semver>[0-9.]+)", newest="time")
    told = []
    for number in (2, 3):
        digest = f"sha256:{0:063}{number}"
        stage.registry.history.move(f"v1.{number}", digest)
        told.append(webhooks.pushed(number, IMAGE, f"v1.{number}", digest))
    stage.settle()
    answer, _ = receive.receive(image_door, stage.ledger, told[0])
    assert answer.body["noted"] == [TORCH]
    stage.settle()
    assert stage.trained_with(TORCH) == ["1", "3"]


@pytest.mark.usefixtures("secret")
def test_a_push_that_is_told_after_a_change_of_its_entry_is_no_news(stage: Stage) -> None:
    """What is declared anew is looked at anew: a push of an old tag that is told after that changes nothing either."""
    for number in (1, 2):
        stage.registry.history.move(f"v1.{number}", f"sha256:{0:063}{number}")
    stage.watch(TORCH, tags=r"v(?P<semver>[0-9.]+)", newest="time")
    answer, _ = receive.receive(image_door, stage.ledger, webhooks.pushed(1, IMAGE, "v1.1", f"sha256:{0:063}1"))
    assert answer.body["noted"] == [TORCH]
    stage.settle()
    assert stage.trained_with(TORCH) == ["2"]


def test_a_tag_that_names_nothing_keeps_no_other_from_being_found(stage: Stage) -> None:
    """A registry may list what is not there: the tag that is new beside it is trained with."""
    stage.registry.history.move("v1.2", f"sha256:{0:063}2")
    stage.watch(TORCH, tags=r"v(?P<semver>[0-9.]+)", newest="time")
    stage.registry.history.move("v1.3", f"sha256:{0:063}3")

    def registry(line: Any) -> Any:
        source = stage.registry.source(line)
        return SimpleNamespace(digest=source.digest, tags=lambda: [*source.tags(), "v1.1"])

    for _ in range(20):
        stage.time.pass_(61.0)
        work.tick(stage.ports(registry=registry))
    assert stage.trained_with(TORCH) == ["2", "3"]


@pytest.mark.parametrize("line", [CODE, TORCH])
def test_what_was_not_wanted_for_a_minute_is_not_made_twice(stage: Stage, line: str) -> None:
    """A create is held up; the entry is removed, or wants no registration, and is put back: what was sent is waited
    for, and not sent again.
    """
    stage.git.history.move("refs/heads/main", f"{0:039}1")
    stage.registry.history.move("latest", f"sha256:{0:063}1")
    held = Held(*((stage.code_sources, "create") if line == CODE else (stage.images, "add")))
    ports = stage.ports(code_sources_in=lambda _: held) if line == CODE else stage.ports(images_in=lambda _: held)
    stage.watch(line, ports, **({} if line == CODE else {"registers": True}))
    assert held.requests
    for away in (True, False):
        stage.people.pushes.away = away
        apply(stage.ledger, stage.people.generation())
        stage.time.pass_(61.0)
        work.tick(stage.ports())
    held.arrive()
    stage.settle()
    assert len(stage.code_sources.all) + len(stage.images.all) == 1
    assert stage.trained_with(line) == ["1"]
    assert len(stage.dlc.jobs) == 1


def test_what_is_deleted_before_its_maker_said_where_it_is_is_made_again(stage: Stage) -> None:
    """A worker writes the answer of a create down and dies; somebody deletes what was made: it is made again, once
    what is missing cannot be too new to be seen.
    """
    stage.git.history.move("refs/heads/main", f"{0:039}1")

    def dies() -> None:
        raise KeyboardInterrupt

    ports = stage.ports()
    ports.ledger.tries = Interrupted(stage.ledger.tries, "answer", dies)
    with pytest.raises(KeyboardInterrupt):
        stage.watch(CODE, ports)
    ports.ledger.tries = ports.ledger.tries.port
    (made,) = stage.code_sources.there
    made.deleted = True
    stage.upload()
    stage.settle()
    assert [one.deleted for one in stage.code_sources.all] == [True, False]
    assert len(stage.dlc.jobs) == 1
