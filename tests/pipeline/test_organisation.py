"""A Git host whose hook tells of every repository of an organisation, and whose people rename them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.test_code import SECRET, Clone, declare, heads, line, until
from tests.test_repository import ROOT

from junbi.core.facts import LaunchState
from junbi.emulator.git import Webhook
from junbi.emulator.server import Server
from junbi.pipeline import wiring
from junbi.pipeline.resolve import EVERY
from junbi.runtime.load import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tests.pipeline.conftest import World


class Door:
    """The function git_push on a real port, called as FC calls it for its HTTP trigger.

    Attributes:
        answers: the status of each call.
    """

    def __init__(self) -> None:
        self.app, self.answers = load("git_push", ROOT), []
        self.server = Server(self._call)

    def _call(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, *rest: Any) -> Any:
            self.answers.append(status)
            return start_response(status, *rest)

        called = {"HTTP_X_FC_CONTROL_PATH": "/http-invoke", "HTTP_X_FC_REQUEST_ID": f"1-{len(self.answers)}"}
        return list(self.app({**environ, **called}, start))


@pytest.fixture
def door(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """The hook of the whole host calls it."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    monkeypatch.setattr(wiring, "ledger", lambda: world.ledger)
    monkeypatch.setattr(wiring, "poke", lambda _invocation: None)
    made = Door()
    world.cloud.git_host.webhooks.append(Webhook(f"{made.server.url}/git_push", SECRET))
    yield made
    made.server.stop()


def clone(world: World, tmp_path: Path, name: str) -> Clone:
    """A clone of a new repository, with a commit that is not pushed yet."""
    made = Clone(tmp_path / name.replace("/", "-"), f"{world.cloud.git}/{name}.git")
    made.commit("train.txt", name)
    return made


def test_an_organisations_hook_tells_of_many_repositories(world: World, tmp_path: Path, door: Door) -> None:
    """Of four repositories two are watched: each push is noted on its own line, the others are answered with why."""
    trainer = line(world)
    address = f"{world.cloud.git}/vision/tools.git"
    tools = line(world, repository=address).model_copy(update={"name": "tools"})
    declare(world, trainer)
    wanted = world.generation([world.dataset()], []).model_copy(update={"code": {"trainer": trainer, "tools": tools}})
    world.apply(wanted)
    world.reconcile()
    names = ("vision/trainer", "vision/tools", "vision/web", "ops/trainer")
    clones = {name: clone(world, tmp_path, name) for name in names}
    for made in clones.values():
        made.push()
    until(lambda: len(door.answers) == 4)
    assert Counter(door.answers) == {"200 OK": 4}
    outcomes = [delivery.outcome for delivery in world.ledger.deliveries.newest()]
    assert sorted(outcome["noted"] for outcome in outcomes) == [[], [], ["tools"], ["trainer"]]
    ignored = "".join(told for outcome in outcomes for told in outcome["ignored"])
    assert ignored.count("NotWatched") == 2
    assert all(name in ignored for name in ("vision/web", "ops/trainer"))
    world.reconcile()
    assert set(heads(world)) == {clones[name].git("rev-parse", "HEAD") for name in names[:2]}


def test_a_renamed_repository_is_found_and_trained_with(world: World, tmp_path: Path, door: Door) -> None:
    """Its pushes tell an address that is not watched, and say so; the old one, which is, leads to the commit."""
    made = clone(world, tmp_path, "vision/trainer")
    declare(world, line(world))
    made.push()
    until(lambda: len(door.answers) == 1)
    world.deliver(world.upload("v1"))
    world.until(LaunchState.SUCCEEDED)
    world.cloud.git_host.rename("/vision/trainer", "/vision/learner")
    commit = made.commit("train.txt", "after")
    made.push()  # to the old address: real Git is sent on as well
    until(lambda: len(door.answers) == 2)
    told = world.ledger.deliveries.newest()[0].outcome
    assert (told["noted"], "vision/learner" in str(told["ignored"])) == ([], True)
    world.advance(EVERY.total_seconds())
    world.reconcile()
    assert heads(world)[0] == commit
    launch = world.until(LaunchState.SUCCEEDED)
    assert world.cloud.dlc.jobs.get(launch.job_id).request["CodeSource"]["Commit"] == commit


def test_the_new_address_of_a_renamed_repository_goes_on_where_the_old_one_was(
    world: World, tmp_path: Path, door: Door
) -> None:
    """Once junbi.yaml says the new address pushes count again; the commit that was there starts nothing anew."""
    made = clone(world, tmp_path, "vision/trainer")
    declare(world, line(world), on=("trainer",))
    made.push()
    until(lambda: door.answers)
    world.settle(ticks=2)
    known = heads(world)
    world.cloud.git_host.rename("/vision/trainer", "/vision/learner")
    address = f"{world.cloud.git}/vision/learner.git"
    declare(world, line(world, repository=address), on=("trainer",))
    world.settle(ticks=2)
    assert (world.launches, set(heads(world))) == ([], set(known))
    commit = made.commit("train.txt", "after")
    made.push()
    until(lambda: len(door.answers) == 2)
    world.reconcile()
    assert heads(world)[0] == commit
    assert set(door.answers) == {"200 OK"}
