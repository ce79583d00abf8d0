"""Deliveries of webhooks, and the hints that pushes are, on both engines."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.model import CommitRef, Reason
from junbi.core.plan import CodeSpec
from junbi.ledger.code_lines import MOST_PATHS
from junbi.ledger.deliveries import RING, RefusedDelivery
from junbi.ledger.lines import LineState

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LINE = CodeSpec(
    name="trainer",
    repository="https://git.example.com/vision/trainer.git",
    address="git.example.com/vision/trainer",
    branch="main",
    webhook=("B", "A"),
    mount="/root/code",
)


def push(commit: str, before: str = "", paths: frozenset[str] | None = frozenset({"a.py"})) -> CommitRef:
    """A push to the line."""
    return CommitRef(LINE.address, "refs/heads/main", commit, before, paths=paths)


def test_lines_are_found_by_address_and_secret(ledger: Ledger) -> None:
    """A push finds the lines of its repository, and none whose pushes are signed with another secret."""
    other = LINE.model_copy(update={"name": "other", "webhook": ("C",)})
    ledger.code_lines.put({"trainer": LINE, "other": other}, NOW)
    assert ledger.code_lines.at([LINE.address, "x/y"], ("B", "A")) == [LINE]
    assert ledger.code_lines.at(["x/y"], ("B", "A")) == []
    assert ledger.code_lines.webhooks() == [("B", "A"), ("C",)]
    assert (ledger.code_lines.get("trainer"), ledger.code_lines.get("none")) == (LINE, None)


def test_a_line_that_is_no_longer_declared_is_gone(ledger: Ledger) -> None:
    """Only what was applied last is watched."""
    ledger.code_lines.put({"trainer": LINE}, NOW)
    ledger.code_lines.put({}, NOW)
    assert ledger.code_lines.all() == []


def test_a_line_keeps_where_it_stands_until_what_it_watches_changes(ledger: Ledger) -> None:
    """Applied again it goes on; another branch or repository is looked at anew."""
    reason = Reason("CodeRefGone", "gone")
    stands = LineState(NOW, "c1", NOW, reason)
    later = NOW + timedelta(hours=1)
    ledger.code_lines.put({"trainer": LINE}, NOW)
    ledger.code_lines.save_state("trainer", stands)
    ledger.code_lines.put({"trainer": LINE}, later)
    assert ledger.code_lines.state("trainer") == stands
    ledger.code_lines.put({"trainer": LINE.model_copy(update={"branch": "next"})}, later)
    assert ledger.code_lines.state("trainer") == replace(stands, head="", looked_at=None)
    ledger.code_lines.put({"trainer": LINE.model_copy(update={"address": "x/y"})}, later)
    assert ledger.code_lines.state("trainer") == replace(stands, head="", looked_at=None)


def test_pushes_come_back_as_they_were_said(ledger: Ledger) -> None:
    """In their order, each once, until somebody has looked after them."""
    first, second = push("c1"), push("c2", "c1", None)
    for one in (first, second, first):
        ledger.code_lines.note("trainer", one, NOW)
    assert ledger.code_lines.pushes(LINE) == [first, second]
    ledger.code_lines.note("trainer", push("c3", "c2"), NOW + timedelta(seconds=1))
    ledger.code_lines.forget("trainer", NOW)
    assert ledger.code_lines.pushes(LINE) == [push("c3", "c2")]


def test_a_push_of_very_many_paths_keeps_none(ledger: Ledger) -> None:
    """Its paths are as good as unknown then: the ledger does not grow with them."""
    ledger.code_lines.note("trainer", push("c1", paths=frozenset(map(str, range(MOST_PATHS + 1)))), NOW)
    assert [one.paths for one in ledger.code_lines.pushes(LINE)] == [None]


def test_bc_2_a_delivery_that_comes_again_only_counts(ledger: Ledger) -> None:
    """BC-2, BC-98: one row, however often it comes, with what it came to the last time it was read."""
    for outcome in ({"noted": 1}, {"noted": 7}, {"noted": 7}):
        ledger.deliveries.put("github:1", "git_push", "github", outcome, NOW)
    known = ledger.deliveries.get("github:1")
    assert known is not None
    assert (known.times, known.outcome) == (3, {"noted": 7})
    assert ledger.deliveries.newest() == [known]


def test_refused_deliveries_do_not_fill_the_ledger(ledger: Ledger) -> None:
    """However many come: one counter for each reason, and the last fifty."""
    for number in range(RING + 7):
        told = Reason("SignatureMismatch", f"number {number}")
        last = RefusedDelivery(NOW, "git_push", told, "f")
        ledger.deliveries.refuse("git_push", {"SignatureMismatch": 1}, last, NOW + timedelta(seconds=number))
    kept = ledger.deliveries.refused(most=1000)
    assert [one.reason.message for one in (kept[0], kept[-1])] == [f"number {RING + 6}", "number 7"]
    assert len(kept) == RING
    assert [(row["code"], row["times"]) for row in ledger.deliveries.refused_counts()] == [
        ("SignatureMismatch", RING + 7)
    ]
