"""Asynchronous calls: durable, tried again by FC's rules, and never lost silently."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.emulator.api_error import ApiError
from junbi.emulator.faults import Fault
from junbi.emulator.fc.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.fc.conftest import Cloud, Eventually


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def order(**what: object) -> bytes:
    """A payload that tells the sample function what to do."""
    return json.dumps(what).encode()


class TestRules:
    """The retry rules alone, as values."""

    message = Message("1", "f", "1-a", b"\x00\xff", born=NOW, due=NOW)

    def test_function_errors(self) -> None:
        """After a function error a message is tried 3 times more, after 1, 2 and 4 seconds."""
        waits, message = [], self.message
        while again := message.after_function_error("why", NOW):
            waits.append((again.due - NOW).total_seconds())
            message = again
        assert waits == [1, 2, 4]
        assert message.last_error == "why"

    def test_setbacks(self) -> None:
        """While the function is not at fault the waits double from half a second to a minute, until it is too old."""
        waits, message, now = [], self.message, NOW
        while again := message.after_setback("busy", now):
            waits.append((again.due - now).total_seconds())
            message, now = again, again.due
        assert waits[:8] == [0.5, 1, 2, 4, 8, 16, 32, 60]
        assert timedelta(hours=4, minutes=58) < now - NOW <= timedelta(hours=5)
        assert message.failures == 0

    def test_stored(self) -> None:
        """What is stored reads back the same, whatever bytes the payload has."""
        assert Message.from_document(json.loads(json.dumps(self.message.to_document()))) == self.message


class TestDelivery:
    """From the queue to the function, with real processes."""

    def test_success(self, cloud: Cloud, eventually: Eventually) -> None:
        """A queued call is delivered once, with its request id, and forgotten."""
        cloud.fc.deploy([cloud.plain()])
        request = cloud.fc.enqueue("plain", b"hello")
        eventually(lambda: not cloud.fc.pending())
        (call,) = cloud.trace()
        assert (call["body"], call["headers"]["x-fc-request-id"]) == ("hello", request)

    def test_function_error_then_success(self, cloud: Cloud, eventually: Eventually) -> None:
        """A function that fails twice is called a third time, with the same request id, and that is all."""
        cloud.fc.deploy([cloud.plain()])
        cloud.fc.enqueue("plain", order(fail_first=2))
        for _ in range(2):
            eventually(lambda: cloud.fc.pending()[0].last_error if cloud.fc.pending() else True)
            time.sleep(0.1)
            cloud.clock.advance(10)
        eventually(lambda: not cloud.fc.pending())
        calls = cloud.trace()
        assert len({call["headers"]["x-fc-request-id"] for call in calls}) == 1
        assert [call["headers"]["x-fc-retry-count"] for call in calls] == ["0", "1", "2"]
        assert not cloud.fc.dead()

    def test_exhausted(self, cloud: Cloud, eventually: Eventually) -> None:
        """After 4 tries in all a message is given up, visibly, with the last error and its payload."""
        cloud.clock.scale = 100
        cloud.fc.deploy([cloud.plain()])
        cloud.fc.enqueue("plain", order(do="fail", mark="poison"))
        (dead,) = eventually(cloud.fc.dead)
        assert len(cloud.trace()) == 4
        assert dead.function == "plain"
        assert "HandledInvocationError" in dead.last_error
        assert "as ordered" in dead.last_error
        assert b"poison" in dead.body
        assert not cloud.fc.pending()

    def test_throttled(self, cloud: Cloud, eventually: Eventually) -> None:
        """What finds every instance busy waits and is delivered later; throttling is no function error."""
        cloud.clock.scale = 20
        cloud.fc.deploy([cloud.plain(instance_concurrency=1, max_instances=1)])
        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(cloud.fc.invoke, "plain", order(sleep=0.6))
            eventually(cloud.trace)
            cloud.fc.enqueue("plain", b"patient")
            eventually(lambda: cloud.fc.pending()[0].setbacks > 1)
            assert "ResourceExhausted" in cloud.fc.pending()[0].last_error
            working.result()
        eventually(lambda: not cloud.fc.pending())
        assert cloud.trace()[-1]["body"] == "patient"
        assert not cloud.fc.dead()

    def test_side_by_side(self, cloud: Cloud, eventually: Eventually) -> None:
        """A slow call holds up neither other calls of its function nor other functions."""
        cloud.fc.deploy([cloud.plain("slow"), cloud.plain("fast")])
        cloud.fc.enqueue("slow", order(sleep=20))
        eventually(lambda: cloud.trace("slow"))
        cloud.fc.enqueue("slow", b"second")
        cloud.fc.enqueue("fast", b"")
        eventually(lambda: cloud.trace("fast") and len(cloud.trace("slow")) == 2, 5)

    def test_unknown_function(self, cloud: Cloud) -> None:
        """A call of a function that does not exist is refused, not queued."""
        with pytest.raises(ApiError, match="FunctionNotFound"):
            cloud.fc.enqueue("ghost", b"")

    def test_code_replaced(self, cloud: Cloud, eventually: Eventually) -> None:
        """A message of a function that is taken away waits, and is delivered when it comes back."""
        cloud.fc.deploy([cloud.plain(), cloud.plain("other")])
        cloud.faults.order(Fault("fc.event", effect="delay", seconds=0.5))
        cloud.fc.enqueue("plain", b"kept")
        cloud.fc.deploy([cloud.plain("other")])
        time.sleep(0.7)
        assert len(cloud.fc.pending()) == 1
        cloud.fc.deploy([cloud.plain()])
        eventually(lambda: not cloud.fc.pending())
        assert [call["body"] for call in cloud.trace()] == ["kept"]

    def test_stop_keeps(self, cloud: Cloud, eventually: Eventually) -> None:
        """A call that is cut off by an orderly stop stays queued, and no failure is counted against it."""
        cloud.fc.deploy([cloud.plain()])
        cloud.fc.enqueue("plain", order(sleep=30))
        eventually(cloud.trace)
        cloud.fc.stop()
        (message,) = cloud.fc.pending()
        assert message.failures == message.setbacks == 0

    def test_faults(self, cloud: Cloud, eventually: Eventually) -> None:
        """Ordered faults drop, duplicate, delay and reorder queued calls, and strike the function they name."""
        cloud.fc.deploy([cloud.plain()])
        cloud.faults.order(Fault("fc.event.other", effect="drop"))
        cloud.faults.order(Fault("fc.event", effect="drop"))
        cloud.faults.order(Fault("fc.event.plain", effect="duplicate"))
        cloud.faults.order(Fault("fc.event", effect="reorder", seconds=3))
        for body in (b"twice", b"dropped", b"late", b"last"):
            cloud.fc.enqueue("plain", body)
        eventually(lambda: not cloud.fc.pending())
        bodies = [call["body"] for call in cloud.trace()]
        assert sorted(bodies) == ["last", "late", "twice", "twice"]
        assert bodies[-1] == "late"


CRASHER = """
import sys, time
sys.path.insert(0, {here!r})
from conftest import Cloud
from pathlib import Path
cloud = Cloud(Path({data!r}))
cloud.fc.deploy([cloud.plain()])
cloud.fc.enqueue("plain", b'{{"sleep": 30, "mark": "in flight"}}')
for number in range(20):
    cloud.fc.enqueue("plain", b'{{"sleep": 30, "mark": "queued %d"}}' % number)
print("accepted", flush=True)
time.sleep(60)
"""


def test_killed(tmp_path: Path, open_cloud: Callable[[Path], Cloud], eventually: Eventually) -> None:
    """After kill -9 no instance is left behind, and every accepted call, in flight or not, is delivered again."""
    here = Path(__file__).parent
    script = CRASHER.format(here=str(here), data=str(tmp_path))
    emulator = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert emulator.stdout.readline() == "accepted\n"
    trace = tmp_path / "plain.trace"
    eventually(trace.exists)
    pid = json.loads(trace.read_text().splitlines()[0])["pid"]
    os.kill(emulator.pid, signal.SIGKILL)
    emulator.wait()
    emulator.stdout.close()
    eventually(lambda: not _alive(pid), 3)
    trace.unlink()

    cloud = open_cloud(tmp_path)
    assert len(cloud.fc.pending()) == 21
    cloud.fc.deploy([cloud.plain(environment={"IMPATIENT": "1"})])
    eventually(lambda: not cloud.fc.pending())
    marks = {json.loads(call["body"])["mark"] for call in cloud.trace()}
    assert marks == {"in flight"} | {f"queued {number}" for number in range(20)}


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
