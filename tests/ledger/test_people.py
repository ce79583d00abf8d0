"""What the ledger keeps for people: stories, unreadable payloads, tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TOKEN = "jt-5b1c-very-secret"


class TestStories:
    """What happened, in words."""

    def test_they_are_told_in_their_order(self, ledger: Ledger) -> None:
        """Oldest first, past an entry, at most so many, though a clock went back."""
        for number in range(5):
            ledger.tell(f"launch:{number % 2}", f"Code{number}", "said", NOW - timedelta(seconds=number))
        assert [story["code"] for story in ledger.stories()] == [f"Code{number}" for number in range(5)]
        assert [story["code"] for story in ledger.stories(after=2, most=2)] == ["Code2", "Code3"]

    def test_each_thing_has_its_own(self, ledger: Ledger) -> None:
        """Only what happened to it."""
        ledger.tell("launch:1", "Code1", "one", NOW)
        ledger.tell("launch:11", "Code2", "two", NOW)
        assert [story["message"] for story in ledger.story_of("launch:1")] == ["one"]


class TestQuarantine:
    """Payloads that could not be read."""

    def test_the_same_one_again_only_counts(self, ledger: Ledger) -> None:
        """A sender that repeats itself fills no disk; first and last time are kept."""
        for minute in range(3):
            ledger.quarantine("oss_upload", b"{bad", "no JSON", NOW + timedelta(minutes=minute))
        (kept,) = ledger.quarantined()
        assert (kept["function"], kept["payload"], kept["problem"], kept["times"]) == (
            "oss_upload",
            "{bad",
            "no JSON",
            3,
        )
        assert datetime.fromisoformat(kept["first_at"]) == NOW
        assert datetime.fromisoformat(kept["last_at"]) == NOW + timedelta(minutes=2)

    def test_newest_first(self, ledger: Ledger) -> None:
        """The last that came is the one people look for."""
        for number in range(3):
            ledger.quarantine("oss_upload", b"%d" % number, "no JSON", NOW + timedelta(minutes=number))
        assert [kept["payload"] for kept in ledger.quarantined(2)] == ["2", "1"]

    def test_bytes_that_are_no_text_and_large_ones_are_kept_as_far_as_they_go(self, ledger: Ledger) -> None:
        """64 KiB of it, what is no UTF-8 replaced; two that differ only after that are two."""
        ledger.quarantine("oss_upload", b"\xff" + b"x" * 100_000, "no text", NOW)
        ledger.quarantine("oss_upload", b"\xff" + b"x" * 100_001, "no text", NOW)
        kept = ledger.quarantined()
        assert [len(one["payload"]) for one in kept] == [65_536, 65_536]
        assert kept[0]["payload"].startswith("\ufffdx")


class TestTokens:
    """Tokens of the API."""

    def test_only_an_issued_token_has_an_owner(self, ledger: Ledger) -> None:
        """Neither another one, nor a part of it, nor its digest."""
        ledger.issue_token(TOKEN, "mia", NOW)
        assert ledger.owner_of_token(TOKEN) == "mia"
        for other in ("", TOKEN[:-1], TOKEN + " ", TOKEN.upper(), "%"):
            assert ledger.owner_of_token(other) is None

    def test_a_token_keeps_its_first_owner(self, ledger: Ledger) -> None:
        """Issued again under another name, it is not handed over."""
        ledger.issue_token(TOKEN, "mia", NOW)
        ledger.issue_token(TOKEN, "eve", NOW)
        assert ledger.owner_of_token(TOKEN) == "mia"

    def test_the_token_itself_is_stored_nowhere(self, ledger: Ledger, engine: Any, address: str) -> None:
        """Who reads the database, its log or a backup finds a digest."""
        ledger.issue_token(TOKEN, "mia-of-vision", NOW)
        ledger.owner_of_token(TOKEN)
        stored = engine.text(address)
        assert b"mia-of-vision" in stored
        assert TOKEN.encode() not in stored
