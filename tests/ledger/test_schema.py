"""The schema: the same on every engine, and versions of junbi side by side on one ledger."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from junbi.core.facts import Arrival, ArrivalState, Launch, LaunchState, Revision
from junbi.core.plan import JobTemplate, PlanSpec, Resource, Workers
from junbi.errors import LedgerUnknown
from junbi.ledger import schema
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NEXT = schema.migrations()[-1].number + 1
ARRIVAL = Arrival("k", "d", "b", "p/", {}, ArrivalState.OPEN, NOW, NOW)
REVISION = Revision("rev-1", "d", "v1", "b", "p/", {}, "x", 1, 1, NOW, NOW)
JOB = JobTemplate(type="TFJob", workers=Workers(), command="train")
PLAN = PlanSpec(
    name="p", on=("d",), datasets=("d",), mounts={}, image="i", resource=Resource(name="r", public="x"), job=JOB
)
LAUNCH = Launch("l-1", "p", "i", 0, "t", {"d": "rev-1"}, {}, PLAN, 1, LaunchState.WAITING, NOW, NOW)

#: What the next version of junbi might add.
TABLES = ("arrival", "revision", "registration", "launch", "try", "work", "story", "watch", "plan", "quarantine")
EXPANDING = "".join(f"ALTER TABLE {table} ADD COLUMN later TEXT NOT NULL DEFAULT 'x';" for table in TABLES)


def test_this_version_works_on_a_ledger_that_the_next_one_expanded(engine: Any, address: str) -> None:
    """While functions of two versions run side by side: opened anew, everything is stored and read as ever."""
    ledger = open_ledger(address)
    engine.add_migration(address, NEXT, schema.EXPAND, EXPANDING + "CREATE TABLE later (x TEXT);")
    for opened in (ledger, open_ledger(address), open_ledger(address, migrate=True)):
        opened.migrate()
    ledger.arrivals.save(ARRIVAL)
    ledger.revisions.add(REVISION)
    ledger.revisions.put_head(REVISION)
    ledger.revisions.save_registration(ledger.revisions.registration("rev-1"))
    ledger.launches.add(LAUNCH)
    ledger.tries.add(owner="launch:l-1", operation="CreateJob", nonce="n", date="d", body="{}", now=NOW)
    ledger.worklist.ask("launch", "l-1", NOW)
    ledger.quarantine("oss_upload", b"x", "no JSON", NOW)
    read = ledger.arrivals.get("k")
    assert read is not None
    ledger.arrivals.save(read)
    assert ledger.revisions.head("d") == REVISION
    assert [one.id for one in ledger.launches.pinning("rev-1")] == ["l-1"]
    assert [one.nonce for one in ledger.tries.of("launch:l-1")] == ["n"]
    assert [one.revision.id for one in ledger.overview.versions(5)] == ["rev-1"]
    (item,) = ledger.worklist.claim(NOW)
    ledger.worklist.finish(item, NOW)
    assert ledger.worklist.due(NOW) == 0


@pytest.mark.parametrize("migrate", [False, True])
def test_a_ledger_that_a_newer_version_contracted_is_left_alone(engine: Any, address: str, *, migrate: bool) -> None:
    """Also where it was expanded after that, and by whoever wants to migrate it."""
    open_ledger(address)
    engine.add_migration(address, NEXT, schema.CONTRACT)
    engine.add_migration(address, NEXT + 1, schema.EXPAND)
    with pytest.raises(LedgerUnknown, match=rf"schema {NEXT + 1}.*knows up to {NEXT - 1}.*Nothing was changed"):
        open_ledger(address, migrate=migrate)


def test_migrating_again_changes_nothing(address: str) -> None:
    """What is there stays, and what was applied is written once."""
    open_ledger(address).tell("launch:1", "Code", "message", NOW)
    for _ in range(2):
        ledger = open_ledger(address, migrate=True)
        applied = ledger._database.rows("applied_migrations")
        assert sorted(row["number"] for row in applied) == [one.number for one in schema.migrations()]
        assert len(ledger.stories()) == 1


def test_both_engines_have_the_same_tables(postgres: Any, tmp_path: Path) -> None:
    """Table by table the same columns, in one order, with the same kinds of values, and empty or not."""
    file = tmp_path / "ledger.db"
    open_ledger(f"sqlite:///{file}")
    assert of_sqlite(file) == of_postgres(migrated(postgres))


def test_both_engines_have_the_same_keys_and_indexes(postgres: Any, tmp_path: Path) -> None:
    """What is unique, and what is found without a scan."""
    file = tmp_path / "ledger.db"
    open_ledger(f"sqlite:///{file}")
    with sqlite3.connect(file) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {(table, *index_of(connection, row)) for table in tables for row in indexes_of(connection, table)}
        found |= {(table, True, columns) for table in tables if (columns := number_of(connection, table))}
    connection.close()
    with psycopg.connect(migrated(postgres)) as server:
        rows = server.execute("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()")
        there = {
            (table, "UNIQUE" in text, tuple(re.sub(r".*\((.*)\)", r"\1", text).split(", "))) for table, text in rows
        }
    assert found == there


def test_every_text_sorts_by_its_code_points(postgres: Any) -> None:
    """On PostgreSQL too: claims and lists come in the order that SQLite and Python have."""
    with psycopg.connect(migrated(postgres)) as server:
        rows = server.execute(
            "SELECT table_name, column_name, collation_name FROM information_schema.columns "
            "WHERE table_schema = current_schema() AND data_type = 'text'"
        ).fetchall()
    assert len(rows) > 50
    assert {collation for _, _, collation in rows} == {"C"}


def test_a_ledger_from_before_the_table_of_migrations_goes_on(tmp_path: Path) -> None:
    """The number was kept in the file's head then; what is newer is applied, and nothing twice."""
    file = tmp_path / "ledger.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(schema.migrations()[0].script)
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    open_ledger(f"sqlite:///{file}").tell("launch:1", "Code", "message", NOW)
    assert len(open_ledger(f"sqlite:///{file}").stories()) == 1


def migrated(postgres: Any) -> str:
    """A ledger on the server."""
    address: str = postgres.blank()
    open_ledger(address, migrate=True)
    return address


def of_sqlite(file: Path) -> dict[str, list[tuple[str, str, bool]]]:
    """Name, kind and whether it must be there, of every column by table."""
    with sqlite3.connect(file) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {table: connection.execute(f"PRAGMA table_info({table})").fetchall() for table in tables}
    connection.close()
    return {
        table: [(name, kind, bool(filled or key)) for _, name, kind, filled, _, key in columns]
        for table, columns in found.items()
    }


def of_postgres(address: str) -> dict[str, list[tuple[str, str, bool]]]:
    """The same."""
    kinds = {"bigint": "INTEGER", "text": "TEXT"}
    found: dict[str, list[tuple[str, str, bool]]] = {}
    with psycopg.connect(address) as connection:
        for table, name, kind, empty in connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
            "WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position"
        ):
            found.setdefault(table, []).append((name, kinds[kind], empty == "NO"))
    return found


def indexes_of(connection: sqlite3.Connection, table: str) -> list[Any]:
    """Every index of a table: its name and whether it is unique are the second and third."""
    return connection.execute(f"PRAGMA index_list({table})").fetchall()


def index_of(connection: sqlite3.Connection, row: Any) -> tuple[bool, tuple[str, ...]]:
    """Whether an index is unique, and its columns, with the direction where it is not the usual one."""
    columns = connection.execute(f"SELECT name, desc FROM pragma_index_xinfo('{row[1]}') WHERE key")
    return bool(row[2]), tuple(f"{column} DESC" if falling else column for column, falling in columns)


def number_of(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """The column that is SQLite's own row number, which needs no index there."""
    keys = [row for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    return (keys[0][1],) if [row[2] for row in keys] == ["INTEGER"] else ()
