"""What PostgreSQL says and stores otherwise: the time, and texts."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from junbi.ledger.clock import LedgerClock, SharedClock
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.ledger.worklist import LEASE

if TYPE_CHECKING:
    import pytest

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class TestClock:
    """One clock for all instances."""

    def test_it_is_the_servers(self, postgres: Any, ledger: Ledger) -> None:
        """Between two looks at the server's clock, to the microsecond, and not the time of the transaction's begin."""
        question = "SELECT extract(epoch FROM clock_timestamp())"
        with ledger.transaction():
            time.sleep(0.05)
            before = float(postgres.execute(question)[0][0])
            now = ledger.now()
            after = float(postgres.execute(question)[0][0])
        assert now.tzinfo is UTC
        assert before <= now.timestamp() <= after

    def test_an_instance_whose_own_clock_is_wrong_judges_as_the_others(self) -> None:
        """The process's clock is not asked."""
        assert SharedClock(lambda: 1_772_323_200.25, LedgerClock()).now() == NOW + timedelta(seconds=0.25)

    def test_a_local_cloud_that_runs_faster_stays_faster(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """JUNBI_CLOCK counts from the server's time."""
        monkeypatch.setenv("JUNBI_CLOCK", f"{time.time()!r},1000000.0,1000.0")
        first = open_ledger(address).now().timestamp()
        assert 1_000_000 <= first < 1_000_000 + 60_000


class TestTexts:
    """What PostgreSQL stores otherwise."""

    def test_nul_is_kept_as_a_replacement_character(self, ledger: Ledger) -> None:
        """Somebody sends binary rubbish: it goes to the quarantine instead of failing for ever."""
        ledger.quarantine("oss_upload", b"a\0b", "no JSON", NOW)
        assert ledger.quarantined()[0]["payload"] == "a\ufffdb"

    def test_texts_sort_by_their_code_points(self, ledger: Ledger) -> None:
        """As on SQLite and in Python, whatever language the server speaks."""
        for key in ("b", "B", "a-b", "aB", "ab"):
            ledger.worklist.ask("launch", key, NOW)
        assert [item.id for item in ledger.worklist.claim(NOW)] == ["B", "a-b", "aB", "ab", "b"]
        again = NOW + LEASE + timedelta(seconds=1)
        assert [ledger.worklist.claim(again, most=1)[0].id for _ in range(2)] == ["B", "a-b"]
