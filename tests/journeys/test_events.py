"""Events are hints: lost, doubled, late or in any order, the same upload comes to the same end."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from alibabacloud_tea_openapi.client import Client
from alibabacloud_tea_openapi.models import Config, OpenApiRequest, Params
from alibabacloud_tea_util.models import RuntimeOptions

if TYPE_CHECKING:
    from tests.journeys.conftest import House

FAULTS = {
    "all events lost": {"point": "fc.event.oss_upload", "effect": "drop", "times": 1000},
    "every event twice": {"point": "fc.event.oss_upload", "effect": "duplicate", "times": 1000},
    "the first events last": {"point": "fc.event.oss_upload", "effect": "reorder", "times": 2, "seconds": 3},
    "no poke arrives": {"point": "fc.event.reconcile", "effect": "drop", "times": 1},
    "the door fails after its work": {"point": "fc.invoke.oss_upload", "when": "after", "effect": "error", "times": 2},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_same_end_whatever_events_do(house: House, fault: str) -> None:
    """One version, one launch, one job that ran once; where every event is lost, a listing by the timer finds it."""
    house.up()
    house.order(**FAULTS[fault])
    house.upload("v1")
    house.until_ended()
    assert [launch["state"] for launch in house.get("launches")["launches"]] == ["succeeded"]
    assert [one["label"] for one in house.get("revisions")["revisions"]] == ["v1"]
    assert house.runs() == ["v1"]
    assert ("ArrivalFound" in house.codes()) is (fault == "all events lost")
    assert "DatasetIncomplete" not in house.codes()


def test_marker_first(house: House) -> None:
    """A marker that is older than a file completes nothing; written again it does, and one job sees all the files."""
    house.up()
    bucket = house.bucket("in-data")
    bucket.put_object("digits/v1/_SUCCESS", b"")
    house.until_told("ArrivalOpened")
    bucket.put_object("digits/v1/part-0", b"seven")
    house.upload("v1")
    house.until(lambda: house.runs() and house.get("launches")["launches"][0]["state"] == "succeeded", "the job's end")
    newest = house.get("launches")["launches"][0]
    assert int(house.bucket("out-data").get_object(f"digits/{newest['id']}/count").read()) == 13


def test_last_event_lost(house: House) -> None:
    """An upload that is known to be under way completes although the events of its last objects never come."""
    house.up()
    house.bucket("in-data").put_object("digits/v1/part-0", b"seven")
    house.until_told("ArrivalOpened")
    house.until(lambda: house.rows("SELECT state FROM arrival") == [("open",)], "it waits for the marker")
    house.order(point="fc.event.oss_upload", effect="drop", times=1000)
    house.upload("v1")
    house.until_ended()
    assert house.runs() == ["v1"]


@pytest.mark.parametrize("body", [b"\xff\xfe", b"[", b"{}", b'{"events": [1, {"eventName": 7}]}'])
def test_payload_that_is_no_event(house: House, body: bytes) -> None:
    """Something else sent to a door is kept for people to look at, called handled, and disturbs nothing."""
    house.up()
    endpoint = urlsplit(house.where["functions"]).netloc
    client = Client(Config(access_key_id="emulator", access_key_secret="emulator-secret", endpoint=endpoint))
    call = Params(
        action="InvokeFunction", version="2023-03-30", protocol="HTTP", method="POST", auth_type="AK", style="ROA",
        pathname="/2023-03-30/functions/oss_upload/invocations", req_body_type="json", body_type="binary",
    )  # fmt: skip
    answer = client.call_api(call, OpenApiRequest(stream=BytesIO(body)), RuntimeOptions())
    assert answer["statusCode"] == 200
    assert "X-Fc-Error-Type" not in answer["headers"]
    kept = house.get("quarantine")["quarantine"]
    assert kept
    assert all(one["problem"] for one in kept), kept
    house.upload("v1")
    house.until_ended()
    assert house.runs() == ["v1"]
