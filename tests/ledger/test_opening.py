"""Opening a ledger: for the first time, together with others, and where it cannot be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from junbi.errors import LedgerError, LedgerUnknown
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_what_was_written_is_there_after_opening_again(address: str) -> None:
    """Opening makes the ledger once; opening it again keeps what is in it."""
    open_ledger(address).tell("launch:1", "Code", "message", NOW)
    assert [story["message"] for story in open_ledger(address).stories()] == ["message"]


def test_eight_processes_open_a_missing_ledger_together(engine: Any, crew: Any) -> None:
    """Functions and timers start at one moment: each of them gets a ledger, made once, in every one of 20 rounds."""
    addresses = "\n".join(engine.missing() for _ in range(20))
    answers = crew.run("open_many", addresses, 8, "20")
    assert [answer["failed"] for answer in answers] == [[]] * 8


def test_a_newer_schema_is_left_alone(engine: Any, address: str) -> None:
    """LedgerUnknown says which schema was found; nothing is changed, and the newer junbi goes on."""
    ledger = open_ledger(address)
    ledger.tell("launch:1", "Code", "message", NOW)
    engine.add_migration(address, 999, "contract")
    with pytest.raises(LedgerUnknown, match=r"schema 999.*Nothing was changed"):
        open_ledger(address)
    assert len(ledger.stories()) == 1


@pytest.mark.parametrize(
    "address",
    ["sqlite:", "sqlite://ledger.db", "sqlite:///", "ledger.db", "mysql:///x", "http://x/y", "sqlite3:///x"],
)
def test_what_is_no_ledgers_address_is_said(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable, what it holds, and the form it must have."""
    monkeypatch.setenv("JUNBI_LEDGER", address)
    with pytest.raises(LedgerError, match=r"JUNBI_LEDGER is .*sqlite:///"):
        open_ledger()


def test_the_environment_names_the_ledger(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an address JUNBI_LEDGER says where it is."""
    open_ledger(address).tell("launch:1", "Code", "message", NOW)
    monkeypatch.setenv("JUNBI_LEDGER", address)
    assert len(open_ledger().stories()) == 1


def test_without_an_address_it_is_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default the ledger is .junbi/ledger.db, its folder made as needed."""
    monkeypatch.delenv("JUNBI_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)
    open_ledger()
    assert (tmp_path / ".junbi" / "ledger.db").is_file()
