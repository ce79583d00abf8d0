"""What the ledger forgets, and what it never does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.facts import Revision

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
KEEP = 90 * DAY
OLD = NOW - KEEP - DAY


def left(ledger: Ledger) -> list[str]:
    """What is still told."""
    return [story["message"] for story in ledger.stories()]


def test_what_rests_for_long_is_forgotten(ledger: Ledger) -> None:
    """Its whole story, once the last of it is old enough; to the microsecond."""
    ledger.tell("launch:1", "Code", "created", OLD)
    ledger.tell("launch:1", "Code", "ended", NOW - KEEP)
    assert ledger.prune(NOW, KEEP) == 0
    assert ledger.prune(NOW + timedelta(microseconds=1), KEEP) == 2
    assert left(ledger) == []


def test_what_is_still_looked_at_keeps_its_story(ledger: Ledger) -> None:
    """A launch that waits since last year can still say why; one of a similar name is another."""
    for subject in ("launch:1", "launch:11", "arrival:1"):
        ledger.tell(subject, "Code", subject, OLD)
    ledger.worklist.ask("launch", "1", NOW + DAY)
    assert ledger.prune(NOW, KEEP) == 2
    assert left(ledger) == ["launch:1"]


def test_payloads_go_once_they_came_no_more(ledger: Ledger) -> None:
    """One that was sent again lately stays, however old the first is."""
    for payload in (b"once", b"again"):
        ledger.quarantine("oss_upload", payload, "no JSON", OLD)
    ledger.quarantine("oss_upload", b"again", "no JSON", NOW - DAY)
    assert ledger.prune(NOW, KEEP) == 1
    assert [kept["payload"] for kept in ledger.quarantined()] == ["again"]


def test_it_goes_in_small_steps(ledger: Ledger) -> None:
    """No step holds the ledger for long: at most so many, the oldest first."""
    for number in range(5):
        ledger.tell(f"launch:{number}", "Code", str(number), OLD)
    steps = [ledger.prune(NOW, KEEP, most=2)]
    assert left(ledger) == ["2", "3", "4"]
    steps += [ledger.prune(NOW, KEEP, most=2) for _ in range(3)]
    assert steps == [2, 2, 1, 0]


def test_revisions_and_tries_are_kept(ledger: Ledger) -> None:
    """What was trained on what, and what was sent, is known for ever."""
    ledger.revisions.add(Revision("rev-1", "d", "v1", "b", "p/", {}, "x", 1, 1, OLD, OLD))
    ledger.tries.add(owner="revision:rev-1", operation="CreateDataset", nonce="n", date="d", body="{}", now=OLD)
    ledger.prune(NOW, KEEP)
    assert ledger.revisions.get("rev-1").label == "v1"
    assert len(ledger.tries.of("revision:rev-1")) == 1
