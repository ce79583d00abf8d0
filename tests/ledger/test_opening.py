"""Opening a ledger: for the first time, together with others, and where it cannot be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from junbi.cli import migrate
from junbi.errors import LedgerError, LedgerNotShared, LedgerUnknown
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


class TestOnFunctionCompute:
    """Instances of a function share no disk."""

    def test_a_file_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """LedgerNotShared says what to set; no file is made that would look like a ledger."""
        monkeypatch.setenv("FC_FUNCTION_NAME", "oss_upload")
        monkeypatch.delenv("JUNBI_LOCAL", raising=False)
        with pytest.raises(LedgerNotShared, match="Set JUNBI_LEDGER of every function to one postgresql"):
            open_ledger(f"sqlite:///{tmp_path}/ledger.db")
        assert list(tmp_path.iterdir()) == []

    def test_a_local_one_may_have_a_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """There every instance is on this machine."""
        monkeypatch.setenv("FC_FUNCTION_NAME", "oss_upload")
        monkeypatch.setenv("JUNBI_LOCAL", "1")
        assert open_ledger(f"sqlite:///{tmp_path}/ledger.db").stories() == []

    def test_postgresql_is_what_it_needs(self, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing else has to be set."""
        monkeypatch.setenv("FC_FUNCTION_NAME", "oss_upload")
        monkeypatch.delenv("JUNBI_LOCAL", raising=False)
        address = postgres.blank()
        open_ledger(address, migrate=True)
        assert open_ledger(address).stories() == []


def test_junbi_migrate_makes_the_ledger(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On either engine, as often as one likes; functions may open it from then on."""
    address = engine.missing()
    monkeypatch.setenv("JUNBI_LEDGER", address)
    for _ in range(2):
        answer = CliRunner().invoke(migrate.command)
        assert (answer.exit_code, answer.output) == (0, "The ledger is up to date.\n")
    assert open_ledger(address).stories() == []
