"""The main path: an upload ends in a finished job, a new version in another, and nothing new in none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.journeys.conftest import House


def test_a_version_trains_once_and_nothing_new_trains_nothing(house: House) -> None:
    """An upload ends in a job with its output in OSS; a new version trains too; the same or an older one does not."""
    house.up()
    house.upload("v1")
    house.until_ended(1)
    house.upload("v2")
    house.until_ended(2)
    house.upload("v2")
    house.until_told("AlreadyLaunched")
    house.bucket("in-data").put_object("digits/v1/_SUCCESS", b"")
    house.until_told("OlderVersion")
    assert house.runs() == ["v1", "v2"]
    launches = house.get("launches")["launches"]
    assert [launch["state"] for launch in launches] == ["succeeded", "succeeded"]
    assert [launch["trains_on"]["digits"]["label"] for launch in launches] == ["v2", "v1"]
    for launch in launches:
        assert house.bucket("out-data").get_object(f"digits/{launch['id']}/count").read().split() == [b"13"]
    registered = [one["registration"] for one in house.get("revisions")["revisions"]]
    assert len({one["dataset_id"] for one in registered}) == 1
    assert [one["version_name"] for one in registered] == ["v2", "v1"]


def test_the_story_is_told_in_order(house: House) -> None:
    """The API tells each step of the path once, in the order in which it happened, as a person would read it."""
    house.up()
    house.upload("v1")
    house.until_ended()
    story = house.get("story?after=0")["story"]
    codes = [entry["code"] for entry in story]
    steps = ["ArrivalOpened", "ArrivalClosed", "LaunchCreated", "DatasetRegistered", "JobSubmitted", "JobSucceeded"]
    assert [code for code in codes if code in steps] == steps
    assert [entry["number"] for entry in story] == sorted({entry["number"] for entry in story})
    assert all(entry["message"].endswith((".", "!")) for entry in story), story
    assert house.get(f"story?after={story[-1]['number']}")["story"] == []
