"""What reaches PAI and when: nothing declared takes the place of what is ours, no try settles too soon."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core.facts import LaunchState
from junbi.errors import NotDone
from junbi.pipeline import create, work

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def test_declared_tags_and_requests_replace_nothing_of_ours(world: World) -> None:
    """A job is found again by our tags, whatever the plan declares under the same names."""
    tags = {"junbi.launch": "theirs", "junbi.deployment": "theirs", "junbi.attempt": "9", "cost": "1"}
    request = {"WorkspaceId": "1", "Settings": {"Tags": {"junbi.identity": "theirs", "team": "a"}}}
    job = world.plan().job.model_copy(update={"request": request})
    world.apply(world.generation([world.dataset()], [world.plan(tags=tags, job=job)]))
    world.deliver(world.upload())
    world.reconcile()
    (made,), (launch,) = world.jobs, world.launches
    found = made.request["Settings"]["Tags"]
    ours = {"junbi.launch": launch.id, "junbi.deployment": "vision", "junbi.attempt": "1"}
    assert found == {**ours, "junbi.identity": launch.identity, "cost": "1", "team": "a"}
    assert made.request["WorkspaceId"] == "104231"


def test_a_name_with_a_space_is_one_word_of_the_command(world: World) -> None:
    """Under a wider 'allow' a capture may hold what the shell would split: it is quoted."""
    wider = world.dataset().watch.model_copy(update={"allow": "[a-z ]+"})
    spec = world.dataset().model_copy(update={"watch": wider})
    world.apply(world.generation([spec], [world.plan()]))
    world.deliver(world.upload("a b"))
    world.settle(ticks=1)
    assert "echo 'a b' " in world.jobs[0].request["UserCommand"]


def test_a_try_settles_by_the_newest(world: World) -> None:
    """An earlier try that was throttled says nothing of when the last one can no longer take effect."""
    ports = world.ports()
    for _ in range(2):
        begun = world.ledger.now()
        world.ledger.tries.add(owner="launch:l", operation="CreateJob", nonce="n", date="d", body="{}", now=begun)
        world.advance(600)
    assert begun + ports.settling.time - create.settles_at(ports, "launch:l") < timedelta(seconds=1)


def test_a_tick_begins_nothing_when_its_time_is_up(world: World) -> None:
    """What is left stays due for the next tick."""
    world.deliver(world.upload())
    assert world.reconcile(world.ports(seconds=work.RESERVE - 1))["looked_at"] == {}
    assert not world.launches


def test_failed_looks_are_repeated_with_growing_pauses_and_no_sooner_than_asked(world: World) -> None:
    """Two seconds, then twice as long each time; where the service asks for more, more."""
    for asked, least, most in ((None, 2, 3), (None, 4, 5), (None, 8, 9), (90.0, 90, 91)):
        world.ledger.worklist.ask("launch", "l", world.ledger.now())
        (item,) = world.ledger.worklist.claim(world.ledger.now(), most=1)
        error = NotDone("GetWorkspace", "Throttling", "later", retry_after=asked)
        work._failed(world.ports(), item, error, asked)
        world.advance(least - 0.5)
        assert not world.ledger.worklist.claim(world.ledger.now(), most=1)
        world.advance(most - least + 0.5)
        assert world.ledger.worklist.due(world.ledger.now()) == 1


def test_apply_recomputes_which_version_is_newest(world: World) -> None:
    """Another order of versions makes another one the head, with no new upload."""
    for version in ("v2", "v1"):
        world.deliver(world.upload(version))
        world.settle(ticks=1)
    by_time = world.dataset().model_copy(update={"newest": "time"})
    world.apply(world.generation([by_time], [world.plan()]))
    head = world.ledger.revisions.head("digits")
    assert head is not None
    assert head.label == "v1"


def test_a_forbidden_read_is_unknown_and_not_a_no(world: World) -> None:
    """A workspace that we may not read holds a launch as unknown: it is not said to be missing."""
    world.fault("aiworkspace.GetWorkspace", effect="error", status=403, code="Forbidden.RAM", times=100)
    world.deliver(world.upload())
    world.reconcile()
    (launch,) = world.launches
    assert launch.state is LaunchState.WAITING
    assert [one.state.value for one in launch.checks if one.name == "workspace"] == ["Unknown"]
