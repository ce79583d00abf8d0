"""Watched images, and the hints that pushes are, on both engines."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.image import Seen
from junbi.core.model import Reason
from junbi.core.plan import ImageSpec
from junbi.ledger.image_lines import ImageState

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LINE = ImageSpec(
    name="torch",
    repository="registry.example.com/vision/torch",
    host="registry.example.com",
    path="vision/torch",
    tag="latest",
    webhook=("B", "A"),
)


def test_lines_are_found_by_what_a_push_tells(ledger: Ledger) -> None:
    """By repository and secret, and by the registry where the push tells it; in the address only where that is let."""
    opened = LINE.model_copy(update={"name": "opened", "unsigned": True, "host": "other.example.com"})
    ledger.image_lines.put({"torch": LINE, "opened": opened}, NOW)
    at = ledger.image_lines.at
    assert at(LINE.host, LINE.path, ("B", "A"), unsigned=False) == [LINE]
    assert at("", LINE.path, ("B", "A"), unsigned=False) == [opened, LINE]
    assert at("", LINE.path, ("B", "A"), unsigned=True) == [opened]
    assert at("", LINE.path, ("C",), unsigned=False) == []
    assert at("", "vision/other", ("B", "A"), unsigned=False) == []
    assert ledger.image_lines.webhooks() == [(("B", "A"), True)]
    assert (ledger.image_lines.get("torch"), ledger.image_lines.get("none")) == (LINE, None)


def test_a_line_that_is_no_longer_declared_is_gone(ledger: Ledger) -> None:
    """Only what was applied last is watched, and no push of another waits."""
    ledger.image_lines.put({"torch": LINE}, NOW)
    ledger.image_lines.note("torch", "latest", NOW)
    ledger.image_lines.put({}, NOW)
    assert (ledger.image_lines.all(), ledger.image_lines.pushed("torch")) == ([], [])


def test_a_line_keeps_where_it_stands_until_what_it_watches_changes(ledger: Ledger) -> None:
    """Applied again it goes on; another tag is looked at anew."""
    stands = ImageState(NOW, "sha256:1", NOW, Reason("ImageTagGone", "gone"), {"v1": Seen("sha256:1", "2026")})
    ledger.image_lines.put({"torch": LINE}, NOW)
    ledger.image_lines.save_state("torch", stands)
    ledger.image_lines.put({"torch": LINE}, NOW + timedelta(hours=1))
    assert ledger.image_lines.state("torch") == stands
    ledger.image_lines.put({"torch": LINE.model_copy(update={"tag": "next"})}, NOW + timedelta(hours=1))
    assert ledger.image_lines.state("torch") == replace(stands, head="", looked_at=None, seen={})


def test_pushed_tags_wait_until_somebody_has_looked_after_them(ledger: Ledger) -> None:
    """Each once however often it was told; one that is told again during a look waits for the next."""
    ledger.image_lines.put({"torch": LINE}, NOW)
    for tag in ("a", "b", "a", ""):
        ledger.image_lines.note("torch", tag, NOW)
    assert ledger.image_lines.pushed("torch") == ["", "a", "b"]
    ledger.image_lines.note("torch", "a", NOW + timedelta(seconds=1))
    ledger.image_lines.forget("torch", NOW)
    assert ledger.image_lines.pushed("torch") == ["a"]


def test_a_line_without_a_look_to_come_is_found(ledger: Ledger) -> None:
    """Every watched image is looked at some time: one that nothing would look at is what the audit asks for."""
    ledger.image_lines.put({"torch": LINE}, NOW)
    assert ("image", "torch") in ledger.worklist.unwatched()
    ledger.worklist.ask("image", "torch", NOW)
    assert ledger.worklist.unwatched() == []
