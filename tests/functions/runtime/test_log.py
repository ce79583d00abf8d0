"""The log: JSON lines that hold no secret, forge nothing and do not flood."""

from __future__ import annotations

import json
from typing import Any

import pytest

from junbi import log
from junbi.log import Repeats


def entries(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What was logged since the last look."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_entry(capsys: pytest.CaptureFixture[str]) -> None:
    """An entry is one line of JSON with UTC time, level, room and the request's id, and none of these after it."""
    logger = log.logger("room")
    with log.for_request("1-a"):
        logger.info("said", count=3, text="画像")
    logger.info("outside")
    first, second = entries(capsys)
    assert first.pop("time").endswith("Z")
    assert first == {"event": "said", "level": "info", "room": "room", "request_id": "1-a", "count": 3, "text": "画像"}
    assert "request_id" not in second


def test_debug_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    """Debug entries are not written."""
    log.logger("room").debug("chatter")
    assert entries(capsys) == []


@pytest.mark.parametrize(
    "key",
    ["authorization", "Authorization", "x-fc-security-token", "x-fc-access-key-secret", "accessKeyId", "git_token",
     "db_password", "Signature", "credentials", "Set-Cookie", "webhook_secret"],
)  # fmt: skip
def test_secrets(capsys: pytest.CaptureFixture[str], key: str) -> None:
    """A value under a name that sounds secret is replaced, however deep it lies."""
    log.logger("room").warning("said", **{"deep": [{"a": {key: "hunter2"}}], key: "hunter2", "kept": "visible"})
    line = capsys.readouterr().out
    assert "hunter2" not in line
    assert json.loads(line)["deep"] == [{"a": {key: "[redacted]"}}]
    assert json.loads(line)["kept"] == "visible"


def test_exception(capsys: pytest.CaptureFixture[str]) -> None:
    """An exception is logged with its traceback, on the same line."""
    try:
        {}["x\ny"]
    except KeyError:
        log.logger("room").exception("failed")
    (entry,) = entries(capsys)
    assert "KeyError" in entry["exception"]
    assert "\n" in entry["exception"]


def test_flood(capsys: pytest.CaptureFixture[str]) -> None:
    """200,000 times the same error is one line; other errors, and all that is no error, are written."""
    logger = log.logger("room")
    for _ in range(1000):
        logger.error("function failed", type="LedgerUnavailable")
    logger.error("function failed", type="KeyError")
    logger.info("fine")
    logger.info("fine")
    assert [entry.get("type") for entry in entries(capsys)] == ["LedgerUnavailable", "KeyError", None, None]


class TestRepeats:
    """The rule alone, with the time as an argument."""

    def test_counts(self) -> None:
        """After the quiet time an error is written again and says how many were left out."""
        repeats = Repeats(quiet=60)
        assert [repeats.admit("a", now) for now in (0, 1, 59.9, 60, 61, 120)] == [0, None, None, 2, None, 1]

    def test_kinds(self) -> None:
        """Kinds do not quiet each other, and only so many are remembered."""
        repeats = Repeats(quiet=60, kept=2)
        assert [repeats.admit(kind, 0) for kind in "abca"] == [0, 0, 0, 0]
        assert repeats.admit("c", 1) is None
