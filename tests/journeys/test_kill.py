"""kill -9 of ``junbi up`` at any moment: started again on the same data, everything is done, and done once."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.journeys.conftest import House

SEED = 20261130


def done_once(house: House, versions: list[str]) -> None:
    """Every version trained exactly once: one run, one launch, one job, one dataset version, one output.

    A kill may have a version closed before an older one is. That is then registered, and trains nothing.
    """
    launches = house.get("launches")["launches"]
    trained = sorted(launch["trains_on"]["digits"]["label"] for launch in launches)
    assert sorted(house.runs()) == trained
    assert len(set(trained)) == len(trained)
    assert versions[-1] in trained
    assert len(trained) + house.codes().count("OlderVersion") == len(versions)
    assert {launch["state"] for launch in launches} == {"succeeded"}
    assert jobs(house) == {launch["job"]["id"] for launch in launches}
    for launch in launches:
        size = house.bucket("out-data").get_object(f"digits/{launch['id']}/count").read()
        assert int(size) == 11 + len(launch["trains_on"]["digits"]["label"])
    revisions = house.get("revisions")["revisions"]
    assert sorted(one["label"] for one in revisions) == versions
    registered = [one["registration"] for one in revisions]
    assert len({one["dataset_id"] for one in registered}) == 1
    assert sorted(one["version_name"] for one in registered) == sorted(f"v{n + 1}" for n in range(len(versions)))


def at_rest(house: House, versions: int) -> bool:
    """Whether so many versions are registered and every launch has ended."""
    registered = [one["registration"]["state"] == "done" for one in house.get("revisions")["revisions"]]
    ended = [launch["state"] in {"succeeded", "failed", "stopped"} for launch in house.get("launches")["launches"]]
    return len(registered) == versions and all(registered) and all(ended)


def jobs(house: House) -> set[str]:
    """Every job that the local DLC ever made."""
    return {path.name.removesuffix("-worker-0") for path in (house.data / "pods").iterdir()}


def killed(house: House) -> None:
    """Kill it with -9; nothing of the house but its pods lives on."""
    house.kill()
    house.until(lambda: not house.functions(), "the end of the functions", patience=5)


def test_killed_after_each_step(house: House) -> None:
    """Killed right after each new entry of the story, it comes to the same end as if nothing had happened."""
    house.up()
    house.upload("v1")
    seen: list[str] = []
    while not {"JobSucceeded", "JobEnded"} & set(seen):
        told = house.until(lambda: len(house.codes()) > len(seen) and house.codes(), "something new")  # noqa: B023
        killed(house)
        seen = house.codes()
        assert len(seen) >= len(told)
        house.up()
    house.until_ended()
    assert {"ArrivalOpened", "ArrivalClosed", "LaunchCreated", "DatasetRegistered", "JobSubmitted"} <= set(seen)
    done_once(house, ["v1"])


@pytest.mark.parametrize("part", range(3))
def test_killed_at_any_moment(house: House, part: int) -> None:
    """Killed at moments spread over start, upload, submission and job, again and again, each version trains once."""
    seed = SEED + part
    print(f"seed {seed}")
    moments = random.Random(seed)
    versions = [f"v{number}" for number in range(4)]
    for version in versions:
        house.up()
        house.upload(version)
        time.sleep(moments.uniform(0, 6))
        killed(house)
        house.begin()  # and killed once more while it starts, and works off what the first kill left
        time.sleep(moments.uniform(0, 4))
        killed(house)
    house.up()
    house.until(lambda: at_rest(house, len(versions)), "everything closed, registered and ended")
    done_once(house, versions)


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_in_the_middle_of_create_job(house: House, when: str) -> None:
    """Killed while CreateJob is under way, before or after PAI carried it out, it finds out which, and runs one job."""
    house.up()
    house.order(point="dlc.CreateJob", when=when, effect="hang", seconds=60)
    house.upload("v1")
    house.until(lambda: not house.faults_left(), "CreateJob under way")
    assert [state for (state,) in house.rows("SELECT state FROM launch")] == ["submitting"]
    killed(house)
    began = time.monotonic()
    house.up()
    house.until_told("SubmitUnknown")
    waiting: dict[str, Any] = house.get("launches")["launches"][0]
    assert waiting["state"] != "submit_unknown" or "not submitted again before" in waiting["reason"]["message"]
    house.until_ended()
    assert time.monotonic() - began < 60
    assert ("TrySettled" in house.codes()) is (when == "before")
    done_once(house, ["v1"])
