"""A COMMIT that happened and whose answer was lost."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from junbi.core.facts import Arrival, ArrivalState
from junbi.errors import LedgerUnavailable, Stale
from junbi.ledger.ledger import open_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ARRIVAL = Arrival("digits:digits/v1/", "digits", "b", "digits/v1/", {}, ArrivalState.OPEN, NOW, NOW)


class Line:
    """Stands between junbi and the server, and goes dead once between a COMMIT and its answer."""

    def __init__(self, server: str) -> None:
        self.cut = self._ended = False
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed: the test has ended
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                with client, server:
                    self._carry(client, server)

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        while not self._ended:
            for end in select.select([client, server], [], [], 0.1)[0]:
                data = end.recv(65536)
                if not data:
                    return
                other[end].sendall(data)
                if end is client and self.cut and b"COMMIT\0" in data:
                    self.cut = False
                    server.recv(65536)
                    return

    def close(self) -> None:
        """Carry nothing more."""
        self._ended = True
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(10)


@pytest.fixture
def line(address: str) -> Iterator[Line]:
    """A line to the server of this test."""
    made = Line(f"{parse_qs(urlsplit(address).query)['host'][0]}/.s.PGSQL.5432")
    yield made
    made.close()


def test_it_is_unknown_to_the_caller_who_decides_again_and_is_right(line: Line, address: str) -> None:
    """LedgerUnavailable says that it may have been saved; it was, once, and a repetition under the old row version is
    stale.
    """
    options = urlsplit(address).query.partition("&")[2]
    ledger = open_ledger(f"postgresql://junbi@127.0.0.1:{line.port}/postgres?{options}")
    line.cut = True

    def save() -> None:
        with ledger.transaction():
            ledger.arrivals.save(ARRIVAL)
            ledger.worklist.ask("arrival", ARRIVAL.key, NOW)

    with pytest.raises(LedgerUnavailable, match="All of it was saved or nothing"):
        save()
    with pytest.raises(Stale):
        save()
    found = ledger.arrivals.get(ARRIVAL.key)
    assert found is not None
    assert found.row == 1
    assert [item.asked for item in ledger.worklist.claim(NOW)] == [1]
