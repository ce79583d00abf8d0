"""Deliveries that say again, word for word, what was said before: they cost a look at most, and lose nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.doors import SECRET
from tests.pipeline.test_code import Clone, declare, heads, line

from junbi.core.plan import ImageSpec
from junbi.events.delivery import Delivery
from junbi.ledger.worklist import REPEATED
from junbi.pipeline import git_door, image_door, receive, wiring
from junbi.pipeline.line import EVERY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipeline.conftest import World


@pytest.fixture
def clone(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """A clone of vision/trainer that was pushed and looked at."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    made = Clone(tmp_path / "clone", f"{world.cloud.git}/vision/trainer.git")
    made.commit("train.txt", "one")
    made.push()
    declare(world, line(world), on=("trainer",))
    world.reconcile()
    return made


def codeup(world: World, before: str, after: str, branch: str = "main") -> receive.Answer:
    """A push as Codeup tells it: no id, and nothing that tells two of the same commits apart."""
    body = {
        "object_kind": "push",
        "before": before,
        "after": after,
        "ref": f"refs/heads/{branch}",
        "repository": {"git_http_url": f"{world.cloud.git}/vision/trainer.git"},
        "commits": [],
        "total_commits_count": 0,
    }
    headers = {"Codeup-Event": "Push Hook", "X-Codeup-Token": SECRET}
    return receive.receive(git_door, world.ledger, Delivery(headers, json.dumps(body).encode(), {}))[0]


def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The repositories that are looked at from now on."""
    seen: list[str] = []
    real = wiring.Ports.refs

    def refs(ports: Any, watched: Any) -> Any:
        seen.append(watched.name)
        return real(ports, watched)

    monkeypatch.setattr(wiring.Ports, "refs", refs)
    return seen


def test_a_branch_that_goes_back_and_forth_is_found_long_before_it_is_polled(world: World, clone: Clone) -> None:
    """Codeup tells A, B, A and B with equal bodies: the last is a duplicate, and is looked for all the same."""
    first = clone.git("rev-parse", "HEAD")
    second = clone.commit("train.txt", "two")
    for before, after in ((first, second), (second, first)):
        clone.git("push", "--quiet", "--force", "origin", f"{after}:main")
        assert codeup(world, before, after).body["noted"] == ["trainer"]
        world.reconcile()
        assert world.ledger.code_lines.state("trainer").head == after
    clone.git("push", "--quiet", "--force", "origin", f"{second}:main")
    assert "duplicate" in codeup(world, first, second).body
    world.advance(REPEATED.total_seconds())
    world.reconcile()
    assert REPEATED < EVERY / 10
    assert world.ledger.code_lines.state("trainer").head == second
    assert heads(world) == [second, first]


def test_a_flood_of_replays_multiplies_no_work(world: World, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a delivery is sent again, its repository is looked at once in a while, and nothing else is done."""
    first = clone.git("rev-parse", "HEAD")
    second = clone.commit("train.txt", "two")
    clone.push()
    codeup(world, first, second)
    world.reconcile()
    told, seen = len(world.ledger.stories()), looks(monkeypatch)
    for _ in range(40):
        for _ in range(5):
            assert "duplicate" in codeup(world, first, second).body
        world.reconcile()
        world.advance(1)
    assert len(seen) == 1
    assert (len(world.ledger.stories()), len(heads(world))) == (told, 2)


def test_what_nobody_watched_is_read_anew_when_it_is_sent_again(world: World, clone: Clone) -> None:
    """Somebody adds the entry that was missing and presses "redeliver": it is noted now, and says no more why not."""
    commit = clone.git("rev-parse", "HEAD")
    (told,) = codeup(world, "", commit, "next").body["ignored"]
    assert "NotWatched" in told
    declare(world, line(world, branch="next"))
    answer = codeup(world, "", commit, "next")
    assert (answer.body["noted"], "duplicate" in answer.body) == (["trainer"], False)
    (kept,) = world.ledger.deliveries.newest()
    assert (kept.times, kept.outcome["noted"], kept.outcome["ignored"]) == (2, ["trainer"], {})


def test_an_image_that_is_announced_again_is_looked_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for code: a duplicate asks for a look at the tag, soon and once."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    watched = ImageSpec(
        name="torch",
        repository="registry.example/vision/torch",
        host="registry.example",
        path="vision/torch",
        tag="latest",
        webhook=("HOOK",),
    )
    world.apply(world.generation([], []).model_copy(update={"images": {"torch": watched}}))
    resource = {"digest": "sha256:" + "a" * 64, "tag": "latest", "resource_url": "registry.example/vision/torch:latest"}
    data = {"resources": [resource], "repository": {"repo_full_name": "vision/torch"}}
    body = json.dumps({"type": "PUSH_ARTIFACT", "occur_at": 1, "event_data": data}).encode()

    def announce() -> receive.Answer:
        return receive.receive(image_door, world.ledger, Delivery({"Authorization": SECRET}, body, {}))[0]

    assert announce().body["noted"] == ["torch"]
    for item in world.ledger.worklist.claim(world.ledger.now()):
        world.ledger.worklist.again(item, world.ledger.now() + EVERY)
    due = []
    for _ in range(3):
        assert "duplicate" in announce().body
        due.append(world.ledger.worklist.entry("image", "torch")["due_at"])  # type: ignore[index]
    world.advance(REPEATED.total_seconds())
    assert [one.id for one in world.ledger.worklist.claim(world.ledger.now())] == ["torch"]
    assert len(set(due)) == 1
