"""One exchange over real sockets: sent once, over in time, and told apart by how far it came."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import httpcore
import pytest

from junbi.clients.credentials import Credentials
from junbi.clients.http import exchange
from junbi.clients.outcome import Phase
from junbi.clients.signing import Stamp
from junbi.clients.sockets import IDLE_LIMIT, Backend, Stream, deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.clients.answer import Answer

#: Seconds that a loaded machine may take on top of a short deadline; what is held off here would take far longer.
PATIENCE = 4.0
KEYS = Credentials("key", "s3cret-value", "t0ken-value")
STAMP = Stamp("a-nonce", "2026-11-30T10:22:32Z")
HEADERS = {"x-acs-action": "CreateJob", "x-acs-version": "2020-12-03", "content-type": "application/json"}


def post(url: str, seconds: float = 5.0, body: bytes = b'{"a":1}') -> Answer:
    """A create, as the API sends it."""
    return exchange(
        "POST", f"{url}/api/v1/jobs", headers=HEADERS, body=body, credentials=KEYS, stamp=STAMP, seconds=seconds
    )


class TestDeadline:
    """One limit for the whole, whatever the server does."""

    @pytest.mark.parametrize(
        "message",
        [
            b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 500,
            b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + b"x" * 500,
            b"HTTP/1.1 100 Continue\r\n\r\n" * 30,
        ],
        ids=["header", "body", "interim"],
    )
    def test_a_dripping_server_does_not_stretch_it(self, serve: Callable[..., Any], acts: Any, message: bytes) -> None:
        """A server that sends a byte now and then, in headers or body, is cut off in time."""
        server = serve(acts.drip(message, 0.05))
        began = time.monotonic()
        answer = post(server.url, seconds=1.0)
        assert time.monotonic() - began < PATIENCE
        assert (answer.phase, answer.code) == (Phase.SENT, "timeout")

    def test_silence_ends_it(self, serve: Callable[..., Any], acts: Any) -> None:
        """A server that never answers leaves the outcome unknown, in time."""
        server = serve(acts.silence)
        began = time.monotonic()
        answer = post(server.url, seconds=1.0)
        assert time.monotonic() - began < PATIENCE
        assert (answer.phase, answer.code) == (Phase.SENT, "timeout")

    def test_a_server_that_does_not_read_ends_it(self) -> None:
        """A body that nobody takes does not block for ever."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            began = time.monotonic()
            answer = post(f"http://127.0.0.1:{listener.getsockname()[1]}", seconds=1.0, body=b"x" * (16 << 20))
            assert time.monotonic() - began < PATIENCE
            assert (answer.phase, answer.code) == (Phase.SENT, "timeout")

    def test_a_handshake_that_hangs_is_not_done(self) -> None:
        """Without an encrypted connection nothing was sent."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            began = time.monotonic()
            answer = post(f"https://127.0.0.1:{listener.getsockname()[1]}", seconds=1.0)
            assert time.monotonic() - began < PATIENCE
            assert (answer.phase, answer.code) == (Phase.UNOPENED, "unreachable")


class TestNeverOpened:
    """Where no connection came about, nothing can have been done."""

    def test_a_closed_port(self) -> None:
        """Nobody listens."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        answer = post(f"http://127.0.0.1:{port}")
        assert (answer.phase, answer.code) == (Phase.UNOPENED, "unreachable")
        assert f"127.0.0.1:{port}" in answer.trouble

    def test_a_full_backlog(self) -> None:
        """A host that takes no connection within the deadline got nothing."""
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
            address = listener.getsockname()
            fillers = [socket.socket() for _ in range(4)]
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(address)
            began = time.monotonic()
            answer = post(f"http://127.0.0.1:{address[1]}", seconds=1.0)
            assert time.monotonic() - began < PATIENCE
            assert answer.phase is Phase.UNOPENED
            for filler in fillers:
                filler.close()

    def test_a_name_that_cannot_be(self) -> None:
        """A host name that has no address."""
        assert post("http://a..b").phase is Phase.UNOPENED

    def test_a_server_that_speaks_no_tls(self) -> None:
        """A handshake that fails leaves nothing sent."""
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def plain() -> None:
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    connection.recv(4096)

            server = threading.Thread(target=plain)
            server.start()
            answer = post(f"https://127.0.0.1:{listener.getsockname()[1]}")
            server.join()
        assert (answer.phase, answer.code) == (Phase.UNOPENED, "unreachable")

    def test_a_certificate_of_nobody_we_know(self, serve_tls: Any, acts: Any) -> None:
        """A server that cannot prove its name gets no request."""
        server, _ = serve_tls(acts.reply(200))
        answer = post(f"https://127.0.0.1:{server.port}")
        assert (answer.phase, answer.code) == (Phase.UNOPENED, "unreachable")
        assert "certificate" in answer.trouble
        assert server.requests == []


class TestEncrypted:
    """The same over TLS."""

    def test_a_trusted_server_answers_within_the_deadline(self, serve_tls: Any, acts: Any) -> None:
        """Reads and writes of an encrypted connection keep the deadline too."""
        server, trust = serve_tls(acts.reply(200, {}), acts.drip(b"HTTP/1.1 200 OK\r\n" + b"x" * 100, 0.05))
        with httpcore.ConnectionPool(ssl_context=trust, network_backend=Backend()) as pool:
            url = f"https://127.0.0.1:{server.port}/"
            with deadline(5):
                assert pool.request("GET", url).status == 200
            began = time.monotonic()
            with deadline(1.0), pytest.raises(httpcore.ReadTimeout):
                pool.request("GET", url)
            assert time.monotonic() - began < PATIENCE
            assert server.connections == 1


class TestSentOnce:
    """A request that may have arrived is never sent again."""

    @pytest.mark.parametrize("act", ["reset", "hang_up", "half"])
    def test_a_broken_connection_is_not_tried_again(self, serve: Callable[..., Any], acts: Any, act: str) -> None:
        """After a reset, a hang-up or half an answer, exactly one request was sent, and its outcome is unknown."""
        server = serve(getattr(acts, act))
        answer = post(server.url)
        time.sleep(0.2)
        assert (answer.phase, answer.code) == (Phase.SENT, "connection_lost")
        assert len(server.requests) == 1
        assert server.connections == 1

    def test_a_kept_connection_that_broke_is_not_tried_again(self, serve: Callable[..., Any], acts: Any) -> None:
        """Not even where the connection was an old one, as HTTP libraries like to do."""
        server = serve(acts.reply(200, {}), acts.reset)
        assert post(server.url).phase is Phase.ANSWERED
        assert post(server.url).phase is Phase.SENT
        time.sleep(0.2)
        assert len(server.requests) == 2
        assert server.connections == 1

    def test_a_connection_that_the_server_closed_meanwhile_is_replaced(
        self, serve: Callable[..., Any], acts: Any
    ) -> None:
        """An idle connection that is known to be over is not used, so the call succeeds."""

        def last_words(connection: socket.socket) -> None:
            acts.reply(200, {})(connection)
            connection.close()

        server = serve(last_words)
        assert post(server.url).phase is Phase.ANSWERED
        time.sleep(0.1)
        assert post(server.url).phase is Phase.ANSWERED
        assert server.connections == 2

    def test_no_redirect_is_followed(self, serve: Callable[..., Any], acts: Any) -> None:
        """A signed request goes where it was meant to go, or nowhere."""
        other = serve(acts.reply(200))
        server = serve(acts.reply(307, b"", Location=f"{other.url}/x"))
        assert post(server.url).status == 307
        assert other.requests == []

    def test_the_stamp_is_sent_as_given(self, serve: Callable[..., Any], acts: Any) -> None:
        """Nonce and date on the wire are exactly those of the stamp."""
        server = serve(acts.reply(200))
        post(server.url)
        assert b"x-acs-signature-nonce: a-nonce\r\n" in server.requests[0]
        assert b"x-acs-date: 2026-11-30T10:22:32Z\r\n" in server.requests[0]


class TestConnections:
    """They are kept, but not trusted for long."""

    def test_a_connection_is_used_again(self, serve: Callable[..., Any], acts: Any) -> None:
        """Calls in a row share one connection."""
        server = serve(acts.reply(200))
        for _ in range(3):
            assert post(server.url).phase is Phase.ANSWERED
        assert server.connections == 1

    def test_an_old_one_counts_as_over(self) -> None:
        """A connection that was idle too long by the wall clock, as after a freeze, is not used."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            stream = Stream(ours)
            assert stream.get_extra_info("is_readable") is False
            stream._used -= IDLE_LIMIT + 1
            assert stream.get_extra_info("is_readable") is True

    def test_proxies_of_the_environment_are_ignored(
        self, serve: Callable[..., Any], acts: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A proxy variable left in the environment sees no signed request."""
        proxy, server = serve(acts.reply(200)), serve(acts.reply(200))
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert post(server.url).phase is Phase.ANSWERED
        assert proxy.requests == []

    def test_an_endless_answer_is_cut_off(self, serve: Callable[..., Any]) -> None:
        """An answer cannot fill the memory."""

        def flood(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b"x" * (1 << 20))

        answer = post(serve(flood).url, seconds=20)
        assert (answer.phase, answer.code) == (Phase.UNREADABLE, "unreadable_answer")
