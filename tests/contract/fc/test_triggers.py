"""What calls functions by itself: objects of OSS, and time."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from junbi.emulator.fc import OssTrigger, TimerTrigger
from junbi.emulator.fc.schedule import ScheduleInvalid, following

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.contract.fc.conftest import Cloud, Eventually


NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def record(key: str, event: str = "ObjectCreated:PutObject", bucket: str = "vision-data") -> dict[str, Any]:
    """An OSS event record with what matching needs."""
    return {
        "eventName": event,
        "eventSource": "acs:oss",
        "oss": {"bucket": {"name": bucket}, "object": {"key": key, "size": 1}, "ossSchemaVersion": "1.0"},
    }


class TestOss:
    """Events of OSS."""

    def test_payload(self, cloud: Cloud, eventually: Eventually) -> None:
        """A matching record arrives as the native payload, key untouched, with its rule's id."""
        key = "digits/2026 11+30%20/画像🙂.png"
        cloud.fc.deploy([cloud.plain(triggers=(OssTrigger("vision-data", prefix="digits/"),))])
        assert cloud.fc.oss_event(record(key)) == 1
        eventually(lambda: not cloud.fc.pending())
        (event,) = json.loads(cloud.trace()[0]["body"])["events"]
        assert len(event["oss"].pop("ruleId")) == 32
        assert event == record(key)

    @pytest.mark.parametrize(
        ("trigger", "other"),
        [
            (OssTrigger("vision-data"), record("k", bucket="another")),
            (OssTrigger("vision-data", prefix="digits/"), record("digitsx/k")),
            (OssTrigger("vision-data", suffix="_SUCCESS"), record("digits/_SUCCESS.tmp")),
            (OssTrigger("vision-data"), record("k", "ObjectRemoved:DeleteObject")),
            (
                OssTrigger("vision-data", events=("oss:ObjectCreated:PutObject",)),
                record("k", "ObjectCreated:CopyObject"),
            ),
            (OssTrigger("vision-data", events=("ObjectCreated:*",)), record("k")),
        ],
        ids=["bucket", "prefix", "suffix", "class", "name", "no-oss-prefix"],
    )
    def test_no_match(self, cloud: Cloud, trigger: OssTrigger, other: dict[str, Any]) -> None:
        """Bucket, prefix, suffix and event name must all match."""
        cloud.fc.deploy([cloud.plain(triggers=(trigger,))])
        assert cloud.fc.oss_event(other) == 0
        assert not cloud.fc.pending()

    def test_many(self, cloud: Cloud) -> None:
        """A wildcard takes parts of a multipart upload too, and one event may call several functions."""
        everything = OssTrigger("vision-data", events=("oss:ObjectCreated:*", "oss:ObjectRemoved:DeleteObject"))
        cloud.fc.deploy([cloud.plain("a", triggers=(everything,)), cloud.plain("b", triggers=(everything,))])
        assert cloud.fc.oss_event(record("k", "ObjectCreated:UploadPart")) == 2
        assert cloud.fc.oss_event(record("k", "ObjectRemoved:DeleteObject")) == 2

    def test_inside_a_transaction(self, cloud: Cloud, eventually: Eventually) -> None:
        """OSS may queue its event in the transaction that stores the object: both are kept, or neither."""
        cloud.fc.deploy([cloud.plain(triggers=(OssTrigger("vision-data"),))])

        def undone() -> None:
            with cloud.records.transaction():
                cloud.fc.oss_event(record("undone"))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            undone()
        with cloud.records.transaction():
            cloud.fc.oss_event(record("kept"))
        eventually(cloud.trace)
        eventually(lambda: not cloud.fc.pending())
        assert ["kept" in call["body"] for call in cloud.trace()] == [True]


class TestTimers:
    """Time, stepped by the test."""

    def test_payload(self, cloud: Cloud, eventually: Eventually) -> None:
        """A timer calls with the native payload: the time it was due, in UTC, its name, and its text."""
        timer = TimerTrigger("every-minute", "@every 1m", '{"a": 1}')
        cloud.fc.deploy([cloud.plain(triggers=(timer,))])
        begin = cloud.clock.now()
        time.sleep(0.3)
        assert not cloud.fc.pending()
        cloud.clock.advance(61)
        eventually(cloud.trace)
        payload = json.loads(cloud.trace()[0]["body"])
        due = datetime.strptime(payload.pop("triggerTime"), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        assert payload == {"triggerName": "every-minute", "payload": '{"a": 1}'}
        assert abs(due - begin - timedelta(minutes=1)) < timedelta(seconds=2)

    def test_no_pile_up(self, cloud: Cloud, eventually: Eventually) -> None:
        """However far time jumps, missed ticks are made up once; then it goes on from the present."""
        cloud.fc.deploy([cloud.plain(triggers=(TimerTrigger("t", 60.0),))])
        for calls in (1, 2):
            cloud.clock.advance(86400)
            eventually(lambda: len(cloud.trace()) == calls)  # noqa: B023 - evaluated at once
            time.sleep(0.3)
            assert len(cloud.trace()) == calls

    def test_restart(self, cloud: Cloud, open_cloud: Callable[[Path], Cloud], eventually: Eventually) -> None:
        """A restart neither repeats a tick nor forgets that one was missed while nothing ran."""
        spec = cloud.plain(triggers=(TimerTrigger("daily", "0 0 4 * * *"),))
        cloud.fc.deploy([spec])
        cloud.clock.advance(86400)
        eventually(cloud.trace)
        eventually(lambda: not cloud.fc.pending())
        cloud.fc.stop()

        again = open_cloud(cloud.data)
        again.clock.advance(86400)
        again.fc.deploy([spec])
        time.sleep(0.3)
        assert len(again.trace()) == 1
        again.clock.advance(86400)
        eventually(lambda: len(again.trace()) == 2)

    def test_changed(self, cloud: Cloud, eventually: Eventually) -> None:
        """A timer with a new interval begins anew; one that is gone does not fire."""
        cloud.fc.deploy([cloud.plain(triggers=(TimerTrigger("t", 3600.0), TimerTrigger("gone", 1.0)))])
        cloud.fc.deploy([cloud.plain(triggers=(TimerTrigger("t", 60.0),))])
        cloud.clock.advance(61)
        eventually(cloud.trace)
        time.sleep(0.3)
        assert {json.loads(call["body"])["triggerName"] for call in cloud.trace()} == {"t"}

    @pytest.mark.parametrize(
        ("every", "wait"),
        [
            (90, 90),
            (0.5, 0.5),
            ("@every 4m", 240),
            ("@every 1h30m", 5400),
            ("30 0 12 * * *", 30),
            ("0 0 4 * * *", 16 * 3600),
            ("0 */5 * * * ?", 300),
            ("0 0 0 1 1 *", 31.5 * 86400),
        ],
    )
    def test_schedule(self, every: float | str, wait: float) -> None:
        """Seconds, @every and six-field cron expressions (seconds first, UTC) are understood."""
        assert (following(every, NOON) - NOON).total_seconds() == wait

    @pytest.mark.parametrize(
        "every", ["", "@every", "@every 5", "@every 0s", "* * * * *", "0 0 25 * * *", 0, -1, "x 0 4 * * *"]
    )
    def test_bad_schedule(self, cloud: Cloud, every: float | str) -> None:
        """Anything else is refused when it is deployed, by name, and nothing changes."""
        cloud.fc.deploy([cloud.plain("kept")])
        with pytest.raises(ScheduleInvalid, match=r"expected|cron"):
            cloud.fc.deploy([cloud.plain(triggers=(TimerTrigger("t", every),))])
        assert list(cloud.fc.functions()) == ["kept"]
