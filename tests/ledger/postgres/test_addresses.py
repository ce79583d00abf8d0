"""What JUNBI_LEDGER may hold, and what the schema there must be."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from junbi.errors import LedgerError, LedgerUnavailable, LedgerUnknown
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.ledger.postgres import PostgresDatabase


def schema_of(address: str) -> str:
    """Where the ledger is."""
    return address.rpartition("%3D")[2]


class TestAddresses:
    """What JUNBI_LEDGER may hold."""

    @pytest.mark.parametrize("address", ["postgresql://u:s3cret@h:port/x?nonsense", "postgres://u:s3cret@[::1/x"])
    def test_what_cannot_be_read_is_said_without_the_password(self, address: str) -> None:
        """The form it must have is named, and what stands there is not repeated."""
        with pytest.raises(LedgerError, match="postgresql://user") as caught:
            open_ledger(address)
        assert "s3cret" not in str(caught.value)

    def test_another_scheme_shows_no_password_either(self) -> None:
        """A mistake in the first word is shown, the secret is not."""
        with pytest.raises(LedgerError, match=r"postgres\+x://\*\*\*@h/x") as caught:
            open_ledger("postgres+x://u:s3cr@t@h/x")
        assert "s3cr" not in str(caught.value)

    def test_a_server_that_is_not_there(self) -> None:
        """LedgerUnavailable names the server and the cause, and no user or password."""
        with pytest.raises(LedgerUnavailable, match=r"x on 127\.0\.0\.1:1 could not be used.*refused") as caught:
            open_ledger("postgresql://mia:s3cret@127.0.0.1:1/x")
        assert "s3cret" not in str(caught.value)

    def test_the_address_may_overrule_our_defaults(self, address: str) -> None:
        """Whoever sets an application name or a time limit means it."""
        database = PostgresDatabase(f"{address}&application_name=mine&connect_timeout=3")
        parameters = database._connection().info.get_parameters()
        assert (parameters["application_name"], parameters["connect_timeout"]) == ("mine", "3")
        assert parameters["tcp_user_timeout"] == "15000"


class TestSchema:
    """Only ``junbi migrate`` migrates."""

    def test_opening_does_not_migrate(self, postgres: Any) -> None:
        """LedgerUnknown says what to run, and nothing was made."""
        address = postgres.blank()
        with pytest.raises(LedgerUnknown, match="Run 'junbi migrate'"):
            open_ledger(address)
        assert postgres.execute(f"SELECT * FROM pg_tables WHERE schemaname = '{schema_of(address)}'") == []

    def test_an_older_schema_is_left_alone(self, postgres: Any, address: str) -> None:
        """New functions on an old ledger do nothing until it is migrated."""
        postgres.execute(f"DELETE FROM {schema_of(address)}.migration WHERE number = 1")
        with pytest.raises(LedgerUnknown, match="Run 'junbi migrate'"):
            open_ledger(address)

    def test_a_table_that_was_taken_away_meanwhile_is_said(self, postgres: Any, address: str, ledger: Ledger) -> None:
        """A function that was open while a newer junbi contracted the schema stops with LedgerUnknown."""
        postgres.execute(f"DROP TABLE {schema_of(address)}.story")
        with pytest.raises(LedgerUnknown, match="not the one of this junbi"):
            ledger.stories()

    def test_a_migration_that_fails_leaves_nothing(self, postgres: Any) -> None:
        """A table in the way stops it; what was done before it is taken back, and it can be run again."""
        address = postgres.blank()
        name = schema_of(address)
        postgres.execute(f"CREATE TABLE {name}.token (x int)")
        with pytest.raises(LedgerError, match="already exists"):
            open_ledger(address, migrate=True)
        assert postgres.execute(f"SELECT tablename FROM pg_tables WHERE schemaname = '{name}'") == [("token",)]
        postgres.execute(f"DROP TABLE {name}.token")
        assert open_ledger(address, migrate=True).stories() == []

    def test_a_migration_waits_for_a_decision_and_the_other_way_round(self, address: str, ledger: Ledger) -> None:
        """Nobody decides on a schema that changes in the middle."""
        done: list[str] = []
        with ledger.transaction():
            migrating = threading.Thread(target=lambda: (open_ledger(address, migrate=True), done.append("migrated")))
            migrating.start()
            time.sleep(0.2)
            done.append("decided")
        migrating.join()
        assert done == ["decided", "migrated"]
