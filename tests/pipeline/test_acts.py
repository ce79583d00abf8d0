"""What people do to launches: run again, launch, cancel; written down with who did it, and carried out once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.core.facts import Launch, LaunchState
from junbi.core.model import Reason
from junbi.pipeline import acts

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipeline.conftest import World


def quick(world: World, command: str = "true") -> None:
    """A plan whose job ends at once, or runs for a while."""
    job = world.plan().job.model_copy(update={"command": command})
    world.apply(world.generation([world.dataset()], [world.plan(job=job, params={"lr": 0.5})]))


def made(outcome: Launch | Reason) -> Launch:
    """The launch that an act made; fails where it was refused."""
    assert isinstance(outcome, Launch), outcome
    return outcome


def refused(outcome: Launch | Reason) -> Reason:
    """Why an act was not done; fails where it was."""
    assert isinstance(outcome, Reason), outcome
    return outcome


def test_bc_32_rerun_makes_the_next_run_of_the_same(world: World) -> None:
    """BC-32: the same versions wanted again are run again by somebody's word: run 2, another job, told with who."""
    quick(world)
    world.deliver(world.upload())
    first = world.until(LaunchState.SUCCEEDED)
    again = made(acts.rerun(world.ledger, first.id, "alice"))
    assert (again.identity, again.rerun, again.made_by) == (first.identity, 1, "alice")
    world.reconcile()
    assert len(world.jobs) == 2
    assert any("alice asked for run 2" in entry["message"] for entry in world.ledger.stories())
    reason = refused(acts.rerun(world.ledger, first.id, "bob"))
    assert (reason.code, reason.facts["launch"]) == ("StillUnderWay", again.id)


def test_two_people_who_run_again_at_once_make_one(world: World) -> None:
    """The second finds the first one's launch under way."""
    quick(world)
    world.deliver(world.upload())
    first = world.until(LaunchState.SUCCEEDED)
    outcomes = [acts.rerun(world.ledger, first.id, who) for who in ("alice", "bob")]
    assert sum(isinstance(one, Launch) for one in outcomes) == 1
    world.settle(ticks=2)
    assert len(world.jobs) == 2


def test_launch_by_hand(world: World) -> None:
    """A plan is launched with an older version and another parameter; the same again names the one that exists."""
    quick(world)
    for version in ("v1", "v2"):
        world.deliver(world.upload(version))
        world.reconcile()
    launch = made(acts.start(world.ledger, "train", "alice", labels={"digits": "v1"}, params={"lr": "1"}))
    assert (launch.params, launch.made_by) == ({"lr": 1.0}, "alice")
    world.reconcile()
    assert len(world.jobs) == 3
    reason = refused(acts.start(world.ledger, "train", "bob", labels={"digits": "v1"}, params={"lr": "1.0"}))
    assert (reason.code, reason.facts["launch"]) == ("AlreadyLaunched", launch.id)


def test_a_dry_run_writes_nothing(world: World) -> None:
    """It says what would be launched, and the ledger stays as it was."""
    quick(world)
    world.deliver(world.upload())
    world.reconcile()
    before = world.ledger.stories()
    told = made(acts.start(world.ledger, "train", "alice", labels={}, params={"lr": "9"}, dry_run=True))
    assert world.ledger.launches.get(told.id) is None
    assert world.ledger.stories() == before


@pytest.mark.parametrize(
    ("labels", "params", "said"),
    [
        ({"digits": "v9"}, {}, "no version 'v9'"),
        ({"other": "v1"}, {}, "no input 'other'"),
        ({}, {"depth": "3"}, "no parameter 'depth'"),
        ({}, {"lr": "fast"}, "fast"),
        ({}, {"lr": "nan"}, "finite"),
    ],
)
def test_what_is_not_there_is_named(world: World, labels: dict[str, str], params: dict[str, str], said: str) -> None:
    """An unknown version, input or parameter, and a value of another kind, launch nothing and say what is wrong."""
    quick(world)
    world.deliver(world.upload())
    world.reconcile()
    with pytest.raises(acts.Unknown, match=said):
        acts.start(world.ledger, "train", "alice", labels=labels, params=params)
    assert len(world.launches) == 1


def test_a_waiting_launch_is_cancelled_at_once(world: World) -> None:
    """It ends without ever having a job, and events that come again bring nothing back."""
    acts.freeze(world.ledger, "", "alice")
    records = world.upload()
    world.deliver(records)
    world.reconcile()
    launch = world.launches[0]
    assert made(acts.cancel(world.ledger, launch.id, "alice")).state is LaunchState.CANCELLED
    acts.thaw(world.ledger, "", "alice")
    world.deliver(records)
    world.settle(ticks=3)
    assert [one.state for one in world.launches] == [LaunchState.CANCELLED]
    assert not world.jobs
    assert refused(acts.cancel(world.ledger, launch.id, "bob")).code == "HasEnded"


def test_bc_38_a_running_job_is_stopped_by_our_own_wish(world: World) -> None:
    """The wish is stored first, StopJob follows, and the end says who wanted it; it is final."""
    quick(world, "sleep 60")
    world.deliver(world.upload())
    launch = world.until(LaunchState.RUNNING)
    assert made(acts.cancel(world.ledger, launch.id, "alice")).stop
    assert refused(acts.cancel(world.ledger, launch.id, "bob")).code == "StillUnderWay"
    ended = world.until(LaunchState.STOPPED)
    assert ended.reason
    assert (ended.reason.code, ended.reason.facts["by"]) == ("Cancelled", "alice")
    assert len(world.jobs) == 1


def test_a_lost_submission_that_is_cancelled_is_found_and_stopped(world: World) -> None:
    """Whether a job exists is found out before anything: one that does is stopped."""
    quick(world, "sleep 60")
    world.fault("dlc.CreateJob", when="after", effect="close")
    world.cloud.dlc.list_lag = 30.0
    world.deliver(world.upload())
    world.reconcile()
    launch = world.launches[0]
    assert launch.state is LaunchState.SUBMIT_UNKNOWN
    acts.cancel(world.ledger, launch.id, "alice")
    assert world.until(LaunchState.STOPPED).reason.code == "Cancelled"  # type: ignore[union-attr]
    assert [job.status for job in world.jobs] == ["Stopped"]


def test_a_lost_submission_that_never_happened_is_cancelled(world: World) -> None:
    """After settling there is no job, and none is made."""
    world.fault("dlc.CreateJob", when="before", effect="close")
    world.deliver(world.upload())
    world.reconcile()
    acts.cancel(world.ledger, world.launches[0].id, "alice")
    world.settle()
    assert [one.state for one in world.launches] == [LaunchState.CANCELLED]
    assert not world.jobs


def test_cancel_while_the_answer_is_on_its_way(world: World) -> None:
    """Somebody cancels between the try and its answer: the job that came of it is known and stopped."""
    quick(world, "sleep 60")
    world.deliver(world.upload())
    ports = world.ports()

    def cancel() -> None:
        acts.cancel(world.ledger, world.launches[0].id, "alice")

    world.reconcile(world.ports(dlc=Interrupted(ports.dlc, cancel)))
    assert world.until(LaunchState.STOPPED).reason.code == "Cancelled"  # type: ignore[union-attr]
    assert [job.status for job in world.jobs] == ["Stopped"]


class Interrupted:
    """A DLC client during whose CreateJob something happens."""

    def __init__(self, client: object, meanwhile: Callable[[], object]) -> None:
        self._client, self._meanwhile = client, meanwhile

    def create_job(self, *args: object, **kwargs: object) -> str:
        """Send it, and let the other thing happen before the answer is back."""
        answer = str(self._client.create_job(*args, **kwargs))  # type: ignore[attr-defined]
        self._meanwhile()
        return answer

    def __getattr__(self, name: str) -> object:
        return getattr(self._client, name)
