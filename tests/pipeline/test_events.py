"""Events are hints: however they come, or do not come, the end state is the same."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from junbi.core.facts import ArrivalState, CreateState, LaunchState

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipeline.conftest import World

    Records = list[dict[str, object]]


def end_state(world: World) -> dict[str, object]:
    """What must not depend on how events came."""
    revision = world.ledger.revisions.newest()[0]
    registration = world.ledger.revisions.registration(revision.id)
    return {
        "revisions": [(one.dataset, one.label, one.digest, one.members) for one in world.ledger.revisions.newest()],
        "registered": (registration.state, registration.version_name),
        "launches": [(one.id, one.identity, one.state) for one in world.launches],
        "jobs": [job.request["DisplayName"] for job in world.jobs],
        "arrivals": [(one.key, one.state) for one in world.ledger.arrivals.newest()],
    }


ORDERS: dict[str, Callable[[Records], Records]] = {
    "as they happened": lambda records: records,
    "in reverse order": lambda records: records[::-1],
    "the marker's before the last object's": lambda records: [*records[:-2], records[-1], records[-2]],
    "each twice": lambda records: [record for record in records for _ in range(2)],
    "all twice, shuffled": lambda records: random.Random(7).sample(records * 2, len(records) * 2),
    "only the marker's": lambda records: records[-1:],
    "only the first object's": lambda records: records[:1],
    "none": lambda _: [],
}


@pytest.mark.parametrize("order", ORDERS)
def test_end_state_does_not_depend_on_the_events(world: World, order: str) -> None:
    """Duplicate, late, reordered or missing events lead to the same dataset version and the same one job."""
    world.deliver(ORDERS[order](world.upload()))
    world.settle(ticks=4)
    found = end_state(world)
    assert [label for _, label, _, _ in found["revisions"]] == ["v1"]
    assert found["registered"] == (CreateState.DONE, "v1")
    assert [state for _, _, state in found["launches"]] == [LaunchState.SUBMITTED]
    assert found["jobs"] == [f"train-{world.launches[0].id}"]
    assert found["arrivals"] == [("digits:data/digits/v1/", ArrivalState.CLOSED)]


def test_events_between_the_ticks_change_nothing(world: World) -> None:
    """Late duplicates that come after the job was submitted look once more, and launch nothing."""
    records = world.upload()
    world.deliver(records)
    world.reconcile()
    before = end_state(world)
    world.deliver(records[::-1])
    world.settle(ticks=3)
    assert end_state(world) == before
    assert "AlreadyLaunched" in world.codes()


def test_bc_22_bc_44_bc_52_bc_53_a_burst_is_answered_from_the_ledger_with_few_writes(world: World) -> None:
    """BC-22, BC-44, BC-52, BC-53: 500 files in a burst are one arrival and one revision with exactly 500 members."""
    records = world.upload(files=500)
    answers = world.deliver(records)
    assert sum(answer["noted"] for answer in answers) <= 3
    assert sum(answer["noted"] + answer["folded"] for answer in answers) == 501
    world.reconcile()
    assert [one.members for one in world.ledger.revisions.newest()] == [500]
    assert len(world.launches) == 1


def test_the_events_of_one_call_share_what_was_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many events a call brings, its folder's watch is looked up once, and its arrival after each save."""
    records, asked, rows = world.upload(files=30, marker=None), [], world.database.rows

    def read(statement: str, /, **values: object) -> object:
        asked.append(statement)
        return rows(statement, **values)

    monkeypatch.setattr(world.database, "rows", read)
    answer = world.deliver_together(records)
    assert (answer["noted"], answer["folded"]) == (1, 29)
    assert (asked.count("watches_at"), asked.count("arrival")) == (1, 2)


def test_a_second_version_trains_again_and_the_same_one_does_not(world: World) -> None:
    """A new version is a new launch; an upload of the same bytes under the same version is none."""
    for version in ("v1", "v2"):
        world.deliver(world.upload(version))
        world.reconcile()
    assert [one.spec.name for one in world.launches] == ["train", "train"]
    world.deliver(world.upload("v2"))
    world.settle(ticks=3)
    assert len(world.launches) == len(world.jobs) == 2


def test_a_reupload_with_other_bytes_is_a_new_revision(world: World) -> None:
    """Other content under the same version is another revision, registered as the dataset's next version."""
    world.deliver(world.upload("v1"))
    world.reconcile()
    world.deliver(world.upload("v1", text="corrected"))
    world.settle(ticks=3)
    names = {world.ledger.revisions.registration(one.id).version_name for one in world.ledger.revisions.newest()}
    assert names == {"v1", "v2"}
    assert len(world.jobs) == 2


def test_an_older_version_that_arrives_late_launches_nothing(world: World) -> None:
    """With 'newest: version' a late v1 is registered, and the plan stays with v2."""
    for version in ("v2", "v1"):
        world.deliver(world.upload(version))
        world.reconcile()
    assert len(world.ledger.revisions.newest()) == 2
    assert len(world.launches) == 1
    assert "OlderVersion" in world.codes()


@pytest.mark.parametrize("name", ["$(touch x)", "a b;rm -rf", "\u202egpj", "ü", "a" * 129])
def test_a_strange_version_name_is_refused_and_shown(world: World, name: str) -> None:
    """Names come from strangers: they do nothing but show CaptureRefused, whether an event told of them or not."""
    world.deliver(world.upload(name))
    world.settle(ticks=2)
    arrival = world.ledger.arrivals.newest()[0]
    assert arrival.state is ArrivalState.REFUSED
    assert arrival.reason
    assert arrival.reason.code == "CaptureRefused"
    assert not world.ledger.revisions.newest()
    assert not world.jobs


def test_a_strange_name_that_only_a_listing_finds_is_refused_too(world: World) -> None:
    """With its events lost, a strange folder is found by the timer and refused the same way."""
    world.upload("a b;rm")
    world.settle(ticks=2)
    assert [one.reason.code for one in world.ledger.arrivals.newest() if one.reason] == ["CaptureRefused"]


def test_bc_41_what_was_there_before_the_first_apply_launches_nothing(world: World) -> None:
    """BC-41: folders older than the watch are recorded and left alone, until their marker is uploaded again."""
    for number in range(2):
        world.put(f"older/v{number}/part.csv", b"1")
        world.put(f"older/v{number}/_SUCCESS", b"")
    world.advance(10)
    world.apply(world.generation([world.dataset("older")], [world.plan(on=("older",))]))
    world.settle(ticks=2)
    assert {one.state for one in world.ledger.arrivals.newest()} == {ArrivalState.IGNORED}
    assert not world.launches
    world.records.clear()
    world.put("older/v1/_SUCCESS", b"")
    world.deliver(world.records)
    world.reconcile()
    assert [one.label for one in world.ledger.revisions.newest()] == ["v1"]


def test_bc_50_every_event_is_accounted_for(world: World) -> None:
    """BC-50: what the door received is what it noted, folded, ignored or could not read."""
    world.upload(files=20)
    world.put("elsewhere/x.csv", b"1")
    unreadable = {"eventSource": "acs:oss", "eventName": "ObjectCreated:PutObject"}
    answer = world.deliver_together([*world.records, unreadable])
    assert answer["received"] == 20 + 1 + 1 + 1
    assert answer["malformed"] == 1
    assert sum(answer["ignored"].values()) == 1
    assert answer["received"] == answer["noted"] + answer["folded"] + 1 + 1


def test_what_a_job_writes_raises_events_like_any_upload(world: World) -> None:
    """The mount of a job puts its files into OSS as any client does: a plan that watches there hears of them."""
    job = world.plan().job.model_copy(update={"command": "echo 1 > /mnt/out/model.bin"})
    world.apply(world.generation([world.dataset()], [world.plan(job=job)]))
    world.deliver(world.upload())
    launch = world.until(LaunchState.SUCCEEDED)
    last = world.records[-1]["oss"]
    assert (last["bucket"]["name"], last["object"]["key"]) == ("models", f"{launch.id}/model.bin")


def test_a_renamed_placeholder_is_followed(world: World) -> None:
    """An upload that is open while its placeholder is renamed closes under the new name."""
    world.deliver(world.upload(marker=None))
    renamed = world.dataset().watch.model_copy(update={"pattern": r"digits/(?P<day>[^/]+)/", "captures": ("day",)})
    job = world.plan().job.model_copy(update={"command": "echo {digits.day}"})
    datasets = [world.dataset().model_copy(update={"watch": renamed})]
    world.apply(world.generation(datasets, [world.plan(job=job)]))
    world.deliver(world.upload())
    world.settle(ticks=2)
    assert [one.captures for one in world.ledger.revisions.newest()] == [{"day": "v1"}]
    assert [job.request["UserCommand"] for job in world.jobs] == ["echo v1"]


def test_an_upload_that_is_no_longer_watched_says_so(world: World) -> None:
    """An upload that is open while its watch is removed ends with that reason, and is not trained on."""
    world.deliver(world.upload(marker=None))
    world.apply(world.generation([], []))
    world.advance(10)
    world.settle(ticks=2)
    assert [one.reason.code for one in world.ledger.arrivals.newest() if one.reason] == ["NotWatched"]


def test_a_poke_is_called_for_when_work_is_due_and_not_before(world: World) -> None:
    """The marker calls for a poke at once; an upload under way does not; two calls before it arrived are one."""
    records = world.upload()
    assert [world.poked(record) for record in records] == [False, False, False, True]
    assert not world.poked(records[-1]), "the first poke is still under way"
    world.reconcile()
    world.put("digits/v2/part", b"1")
    world.put("digits/v2/_SUCCESS", b"")
    assert [world.poked(record) for record in world.records[-2:]] == [False, True]
