"""quota_change: PAI's quotas are read, what changed is told once, and who waits is woken."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.assumptions import Settling
from junbi.core.facts import LaunchState
from junbi.core.policy import Policy
from junbi.errors import CallFailed
from junbi.ledger.ledger import open_ledger
from junbi.pipeline import quota_views, quotas, wiring
from junbi.pipeline.invocation import Invocation
from junbi.pipeline.wiring import Ports
from junbi.runtime.load import load

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = b'{"id": "1", "source": "acs.pai", "type": "pai:ActionTrail:ApiCall", "data": {"eventName": "%s"}}'


def told(world: Any) -> list[tuple[str, str]]:
    """Subject and code of what the story tells of quotas."""
    entries = [(one["subject"], one["code"]) for one in world.ledger.stories()]
    return [entry for entry in entries if entry[0].startswith("quota:")]


def tick(world: Any, **ports: Any) -> dict[str, Any]:
    """One tick, later than the one before."""
    world.advance(5)
    return dict(quotas.tick(world.ports(**ports)))


def waiting(world: Any) -> Any:
    """A launch that waits for somebody's approval, and that nothing looks at for minutes."""
    world.apply(world.generation([world.dataset()], [world.plan(policy=Policy(approve=True))]))
    world.deliver(world.upload())
    for _ in range(20):
        world.reconcile()
        world.advance(3)
    (launch,) = world.launches
    assert launch.state is LaunchState.WAITING
    assert not is_due(world, launch)
    return launch


def is_due(world: Any, launch: Any) -> bool:
    """Whether the launch is to be looked at now."""
    return bool(
        world.ledger.worklist.entry("launch", launch.id)["due_at"] <= f"{world.ledger.now():%Y-%m-%dT%H:%M:%S.%fZ}"
    )


def test_every_kind_is_found_and_told_once(world: Any) -> None:
    """General, nested and Lingjun quotas; a second reading of the same tells nothing."""
    assert tick(world) == {"changes": {"QuotaFound": 3}, "unread": []}
    assert told(world) == [
        (f"quota:{key}", "QuotaFound") for key in ("quotageneral01", "quotateam01", "quotalingjun01")
    ]
    assert tick(world) == {"changes": {}, "unread": []}
    assert len(told(world)) == 3


def test_a_change_is_told_with_what_it_was(world: Any) -> None:
    """A scaled quota, by both amounts."""
    tick(world)
    scaled = {"NodeSpecs": [{"Type": "ecs.gn7i-c16g1.4xlarge", "Count": 9}]}
    world.cloud.quotas.put({"QuotaId": "quotageneral01", "Min": scaled})
    assert tick(world)["changes"] == {"QuotaChanged": 1}
    (entry,) = world.ledger.story_of("quota:quotageneral01")[1:]
    assert '"Count": 4' in entry["message"]
    assert '"Count": 9' in entry["message"]


def test_what_is_used_is_shown_and_not_told(world: Any) -> None:
    """Usage moves with each job: the view has the newest, the story nothing."""
    tick(world)
    use(world, "12")
    assert tick(world)["changes"] == {}
    (team,) = [one for one in quota_views.quotas(world.ledger)["quotas"] if one["id"] == "quotateam01"]
    assert team["resources"] == {"CPU": {"used": "12", "allocatable": "16", "free": "4"}}
    assert team["read_at"] > team["changed_at"]
    use(world, "11")
    assert tick(world)["changes"] == {"FreeGrew": 1}
    assert len(told(world)) == 3


def use(world: Any, cpus: str) -> None:
    """So many CPUs of the team's quota are used."""
    has, used = ({"CPU": amount} for amount in ("16", cpus))
    details = {"AllocatableQuota": has, "AllocatedQuota": used}
    world.cloud.quotas.put({"QuotaId": "quotateam01", "QuotaDetails": details})


def test_a_change_wakes_who_waits(world: Any) -> None:
    """A launch that would be looked at in minutes is looked at now; more or less that is free wakes nobody."""
    launch = waiting(world)
    for cpus in ("16", "0"):
        use(world, cpus)
        tick(world)
        world.reconcile()
    use(world, "16")
    assert tick(world)["changes"] == {}
    use(world, "0")
    assert tick(world)["changes"] == {"FreeGrew": 1}
    assert not is_due(world, launch)
    world.cloud.quotas.put({"QuotaId": "quotateam01", "Status": "Creating"})
    tick(world)
    assert is_due(world, launch)


def test_a_change_wakes_who_was_refused(world: Any) -> None:
    """For the want of a right, which may have come with the change: it is asked again now, not in minutes."""
    tick(world)
    world.fault("dlc.CreateJob", status=403, code="NoPermission", times=100)
    world.deliver(world.upload())
    launch = world.until(LaunchState.REFUSED)
    world.reconcile()
    assert not is_due(world, launch)
    world.cloud.quotas.put({"QuotaId": "quotateam01", "Status": "Creating"})
    tick(world)
    assert is_due(world, launch)


def test_who_must_not_begin_yet_is_not_woken_before(world: Any) -> None:
    """A launch that waits until a time is looked at then, whatever changes meanwhile."""
    tick(world)
    launch = waiting(world)
    later = world.ledger.now() + timedelta(hours=1)
    world.ledger.launches.save(replace(launch, not_before=later))
    world.cloud.quotas.delete("quotateam01")
    tick(world)
    assert not is_due(world, launch)


def test_a_quota_that_vanished_says_so_and_is_kept(world: Any) -> None:
    """It is told gone once and shown as gone with what it was; there again, it is found."""
    tick(world)
    world.cloud.quotas.delete("quotalingjun01")
    assert [tick(world)["changes"] for _ in range(2)] == [{"QuotaGone": 1}, {}]
    (lost,) = [one for one in quota_views.quotas(world.ledger)["quotas"] if one["id"] == "quotalingjun01"]
    assert (lost["status"], lost["name"], lost["kind"]) == ("gone", "vision-lingjun", "Lingjun")
    assert lost["gone_at"] > lost["read_at"]
    world.cloud.quotas.put({"QuotaId": "quotalingjun01", "ResourceType": "Lingjun"})
    assert tick(world)["changes"] == {"QuotaFound": 1}
    assert quota_views.quotas(world.ledger)["quotas"][-1]["gone_at"] is None


def test_what_cannot_be_read_is_not_taken_for_gone(world: Any) -> None:
    """One kind fails: the others are read, nothing of it changes, and the view says why until it is read again."""
    tick(world)
    world.cloud.quotas.delete("quotateam01")
    world.cloud.quotas.delete("quotalingjun01")
    world.fault("paistudio.ListQuotas", status=403, code="Oops")
    assert tick(world) == {"changes": {"QuotaGone": 1}, "unread": ["ECS"]}
    (problem,) = [one for one in quota_views.quotas(world.ledger)["readings"] if one["problem"]]
    assert (problem["kind"], "Oops" in problem["problem"]) == ("ECS", True)
    assert told(world)[3:] == [("quota:quotalingjun01", "QuotaGone")]
    assert tick(world)["changes"] == {"QuotaGone": 1, "QuotaChanged": 1}
    assert not any(one["problem"] for one in quota_views.quotas(world.ledger)["readings"])


def test_where_nothing_can_be_read_the_tick_fails(world: Any) -> None:
    """Function Compute is to hear of it; what was read before stays as it was."""
    tick(world)
    before = quota_views.quotas(world.ledger)["quotas"]
    world.fault("paistudio.ListQuotas", status=403, code="Oops", times=3)
    with pytest.raises(CallFailed, match="Oops"):
        tick(world)
    assert quota_views.quotas(world.ledger)["quotas"] == before
    assert len(told(world)) == 3


class Overtaken:
    """A client whose answer arrives after another reading was stored."""

    def __init__(self, world: Any) -> None:
        self.world, self.client = world, world.ports().quotas

    def list_quotas(self, kind: str) -> Any:
        """What was there before the other one looked."""
        found = self.client.list_quotas(kind)
        if kind == "ECS":
            self.world.cloud.quotas.put({"QuotaId": "quotateam01", "Status": "Creating"})
            quotas.tick(self.world.ports())
        return found


def test_of_two_readings_at_once_the_old_one_is_dropped(world: Any) -> None:
    """It would tell that the quota went back to what it was, and forward again with the next."""
    tick(world)
    world.cloud.quotas.put({"QuotaId": "quotateam01", "Status": "Initializing"})
    assert tick(world, quotas=Overtaken(world))["changes"] == {}
    tick(world)
    assert [code for _, code in told(world)] == ["QuotaFound"] * 3 + ["QuotaChanged"]
    (team,) = [one for one in quota_views.quotas(world.ledger)["quotas"] if one["id"] == "quotateam01"]
    assert team["status"] == "Creating"


def test_another_region_has_its_own_quotas(world: Any) -> None:
    """After an apply that names another region nothing of the old one is told gone, and nothing of it is shown."""
    tick(world)
    elsewhere = world.generation([world.dataset()], [world.plan()]).model_copy(update={"region": "cn-beijing"})
    world.apply(elsewhere)
    assert quota_views.quotas(world.ledger)["quotas"] == []
    world.apply(world.generation([world.dataset()], [world.plan()]))
    assert tick(world)["changes"] == {}


def test_before_the_first_apply_nothing_is_read(tmp_path: Path) -> None:
    """There is no region to ask in, which is no error: the timer comes again."""
    ledger = open_ledger(f"sqlite:///{tmp_path}/ledger.db")
    ports = Ports(Invocation("quota_change", "1", None, time.monotonic() + 9, ""), ledger, Settling())
    assert "junbi apply" in str(quotas.tick(ports)["unread"])


@pytest.fixture
def function(world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The function itself, called as Function Compute calls it: gives the answer to a payload."""
    monkeypatch.setenv("JUNBI_LEDGER", f"sqlite:///{tmp_path}/ledger.db")
    wiring.ledger.cache_clear()
    client = load("quota_change", Path(__file__).parents[2]).test_client()
    key = world.ports().invocation.credentials
    headers = {
        "x-fc-control-path": "/invoke",
        "x-fc-access-key-id": key.key_id,
        "x-fc-access-key-secret": key.secret,
        "x-fc-region": "cn-hangzhou",
    }
    yield lambda body: client.post("/invoke", data=body, headers=headers).get_json()
    wiring.ledger.cache_clear()


@pytest.mark.parametrize(
    "body", [b'{"triggerName": "tick", "triggerTime": "2026-11-30T12:00:00Z"}', RECORD % b"ScaleQuota"]
)
def test_a_timer_and_a_record_of_a_call_read_the_quotas(function: Any, body: bytes) -> None:
    """The record is believed in nothing: what PAI shows then is what counts."""
    assert function(body) == {"changes": {"QuotaFound": 3}, "unread": []}


def test_records_of_other_calls_read_nothing(world: Any, function: Any) -> None:
    """They are answered with what was ignored and why; what is no event at all is kept."""
    (ignored,) = function(RECORD % b"CreateJob")["ignored"]
    assert ignored.startswith("NoQuota: ")
    assert function(b'[{"id": "1"}]')["refused"]["type"] == "MalformedPayload"
    assert [one["function"] for one in world.ledger.quarantined()] == ["quota_change"]
    assert told(world) == []
