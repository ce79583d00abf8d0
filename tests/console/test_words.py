"""How the console says states, times and sizes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from junbi.console import page, words
from junbi.core.facts import ArrivalState, CreateState, LaunchState
from junbi.core.model import State
from junbi.ledger.rows import to_time

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "now"),
        (0.4, "now"),
        (1, "1 s ago"),
        (119, "119 s ago"),
        (120, "2 min ago"),
        (7199, "119 min ago"),
        (7200, "2 h ago"),
        (172_800, "2 days ago"),
        (-20, "in 20 s"),
        (-600, "in 10 min"),
    ],
)
def test_relative(seconds: float, said: str) -> None:
    """A time is told by how far it lies back or ahead, to a figure or two and never as nothing."""
    assert words.relative(to_time(NOW - timedelta(seconds=seconds)), NOW) == said


def test_moment() -> None:
    """A time is told in UTC, whatever the machine's own zone."""
    assert words.moment("2026-11-30T20:02:15.000000Z") == "2026-11-30 20:02:15 UTC"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1_468_006, "1.4 MiB"),
        (2**37, "128 GiB"),
        (2**60, "1,024.0 PiB"),
    ],
)
def test_size(number: int, said: str) -> None:
    """Bytes are told in the unit that suits them."""
    assert words.size(number) == said


def test_every_state_has_its_word_and_tone() -> None:
    """Each state the code knows has a word of its own; a state of a newer junbi is shown as it is."""
    said = [words.of_check(state.value) for state in State]
    said += [words.of_arrival(state.value) for state in ArrivalState if state is not ArrivalState.CLOSED]
    said += [words.of_registration(state.value) for state in CreateState]
    said += [words.of_launch({"state": state.value, "held_by": "Retry"}) for state in LaunchState]
    assert all(word.tone in words.TONES and word.word[0].isupper() for word in said)
    assert words.of_launch({"state": "reserved", "held_by": None}) == ("reserved", "rest")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("bell\x07", "bell\\u0007"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("\ud800", "\\ud800"),
        ("準備 🚀 שלום", "準備 🚀 שלום"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    """Nothing hides in a text, and nothing that people write is touched."""
    assert words.visible(text) == shown


def group(*launches: dict[str, str | None], total: int | None = None) -> dict[str, object]:
    """What ``launch_views.launches`` answers of these."""
    return {"total": len(launches) if total is None else total, "launches": list(launches)}


REFUSED = {"state": "refused", "held_by": None}
WAITING = {"state": "waiting", "held_by": "Retry"}


@pytest.mark.parametrize(
    ("held", "active", "ended", "said"),
    [
        (group(), group(), group(), "No launch yet."),
        (group(), group(), group(total=3), "Nothing is waiting."),
        (group(), group(total=1), group(), "One job is under way."),
        (group(WAITING), group(total=1), group(), "One launch waits, and nothing for you to do."),
        (group(WAITING, REFUSED), group(), group(), "One launch needs you."),
        (group(REFUSED, REFUSED), group(), group(), "2 launches need you."),
        (group(REFUSED, total=5000), group(), group(), "At least one launch needs you."),
    ],
)
def test_answer(held: dict[str, object], active: dict[str, object], ended: dict[str, object], said: str) -> None:
    """The first sentence of the page is the worst there is, and claims no more than was looked at."""
    assert page.answer([held, active, ended], {"arrivals": []}) == said


def test_answer_names_uploads_that_need_somebody() -> None:
    """An upload that was refused needs a person, and a page that said 'nothing is waiting' would hide it."""
    uploads = {"arrivals": [{"state": "refused"}, {"state": "open"}]}
    assert page.answer([group(), group(), group(total=3)], uploads) == "One upload needs you."
    assert page.answer([group(REFUSED), group(), group()], uploads) == "One launch needs you."
