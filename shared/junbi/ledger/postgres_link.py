"""Connections to PostgreSQL: how they are made, whether they still live, and what their errors mean to the user."""

from __future__ import annotations

import select
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from junbi.errors import LedgerError, LedgerUnavailable, LedgerUnknown, Stale

if TYPE_CHECKING:
    from collections.abc import Iterator

Row = dict[str, Any]

#: What the address may overrule. Seconds, the last one milliseconds: a server that vanished without a word is given up
#: after about 15 seconds. All of it is on our side of the connection, so that poolers have nothing to refuse.
DEFAULTS: Row = {
    "application_name": "junbi",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
}

#: The server goes away, or ended this connection. Source: PostgreSQL 18, appendix A (classes 57P and 08, 25P03, 25P04).
_ENDING = {"57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", "08000", "08003", "08006"}


class Connection(psycopg.Connection[Row]):
    """Closed together with the thread or the ledger that held it; psycopg alone would only warn."""

    def __del__(self, *_: Any) -> None:
        if hasattr(self, "pgconn"):
            self.close()

    def gone(self) -> bool:
        """Whether it ended while nothing was asked of it (a restart, a frozen instance): there is something to read."""
        if self.closed:
            return True
        waiting = select.poll()
        waiting.register(self.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
        return bool(waiting.poll(0))


class Address:
    """Where a ledger is.

    Raises:
        LedgerError: libpq cannot read it. The address is not repeated, as it may hold a password.
    """

    def __init__(self, url: str) -> None:
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error:
            raise LedgerError(
                "JUNBI_LEDGER is no address that PostgreSQL's library can read; it must be "
                "postgresql://user:password@host:5432/database, special characters in it percent-encoded."
            ) from None
        self._conninfo = make_conninfo(**{**DEFAULTS, **given})
        #: For people: without user and password.
        self.name = f"{given.get('dbname', 'ledger')} on {given.get('host', 'localhost')}:{given.get('port', 5432)}"

    def connect(self) -> Connection:
        """A new connection. Nothing is prepared and nothing set on it: behind a pooler it is not ours alone."""
        return Connection.connect(
            self._conninfo,
            autocommit=True,
            prepare_threshold=None,
            row_factory=dict_row,
            cursor_factory=psycopg.ClientCursor,
        )

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Say what PostgreSQL's errors mean to the user."""
        try:
            yield
        except psycopg.Error as error:
            raise self._meaning(error) from error

    def _meaning(self, error: psycopg.Error) -> LedgerError:
        # The server's own words only: the rest of its message may quote what was to be stored.
        said = error.diag.message_primary or " ".join(str(error).split())
        if isinstance(error, errors.SerializationFailure | errors.DeadlockDetected | errors.UniqueViolation):
            return Stale(f"another worker was at the same rows of the ledger: {said}; nothing of this was saved")
        if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn | errors.InvalidSchemaName):
            return not_migrated(self.name)
        if isinstance(error, psycopg.OperationalError | psycopg.InternalError):
            return LedgerUnavailable(
                f"The ledger {self.name} could not be used: {said}. Nothing was changed by this call; it will work "
                "again once the cause is gone (server down, too many connections, a lock, a full disk)."
            )
        return LedgerError(f"The ledger {self.name} refused a statement: {said}.")


def not_migrated(name: str) -> LedgerUnknown:
    """The schema is missing or older than this version, or another version took something away."""
    return LedgerUnknown(
        f"The ledger {name} has no schema yet, or not the one of this junbi. Nothing was changed. Run 'junbi migrate' "
        "with this version and JUNBI_LEDGER set to it."
    )


def broke(connection: psycopg.Connection[Row], error: psycopg.Error) -> bool:
    """Whether an error ended its connection; it is closed for good then."""
    if error.sqlstate in _ENDING:
        connection.close()
    return connection.closed
