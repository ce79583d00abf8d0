"""``junbi deliveries``: what came, and for each reason that something was refused what to put right."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.model import Reason
from junbi.ledger.deliveries import RefusedDelivery
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from junbi.ledger.ledger import Ledger

    Junbi = Callable[..., subprocess.CompletedProcess[str]]

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def ledger(folder: Path) -> Ledger:
    """The ledger that the command reads."""
    return open_ledger(f"sqlite:///{folder / '.junbi/ledger.db'}")


def refuse(made: Ledger, code: str, second: int, **facts: str) -> None:
    """A delivery that was refused."""
    at = NOW + timedelta(seconds=second)
    reason = Reason(code, f"{code} in words.", f"Put {code} right.", facts=facts)
    made.deliveries.refuse("git_push", {code: 1}, RefusedDelivery(at, "git_push", reason, "f"), at)


def test_the_last_refusal_of_each_reason_is_told_with_what_to_compare(junbi: Junbi, tmp_path: Path) -> None:
    """Newest first; an older one of the same reason is only counted, and secrets stand there as fingerprints."""
    made = ledger(tmp_path)
    refuse(made, "WrongSecret", 1, secrets="1c305a31", presented="00000000")
    refuse(made, "WrongSecret", 2, secrets="1c305a31, 3672597e", presented="deadbeef")
    for second in (3, 4):
        refuse(made, "NoProof", second)
    text = junbi("deliveries").stdout
    counts, first, second = text.split("\n\n")
    assert [line.split()[1:3] for line in counts.splitlines()[1:]] == [["NoProof", "2"], ["WrongSecret", "2"]]
    assert first.splitlines() == [
        "git_push, 2026-11-30 12:00:04 UTC: NoProof",
        "  NoProof in words.",
        "  Put NoProof right.",
    ]
    assert second.splitlines()[3:] == ["  presented: deadbeef", "  secrets: 1c305a31, 3672597e"]
    assert "00000000" not in text


def test_what_came_and_what_it_came_to(junbi: Junbi, tmp_path: Path) -> None:
    """A line for each; nothing at all is said in a sentence."""
    made = ledger(tmp_path)
    assert junbi("deliveries").stdout == "No webhook has delivered anything yet.\n"
    made.deliveries.put("1", "git_push", "github", {"noted": ["trainer"], "ignored": {}}, NOW)
    made.deliveries.put("2", "git_push", "gitee", {"noted": [], "ignored": {"Ping: It reaches us.": 1}}, NOW)
    _, github, gitee = junbi("deliveries").stdout.splitlines()
    assert github.split()[2:] == ["github", "(git_push)", "1", "trainer"]
    assert gitee.split()[2:] == ["gitee", "(git_push)", "1", "nothing", "Ping:", "It", "reaches", "us."]
    assert json.loads(junbi("deliveries", "--json").stdout)["deliveries"][0]["id"] == "1"
