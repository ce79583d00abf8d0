"""The function's process: what it serves, how it ends, and how it says that it cannot begin."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.runtime.serve import Settings, main

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.functions.runtime.conftest import Headers, Served


FIXTURES = Path(__file__).parents[2] / "fixtures"


def order(**what: object) -> bytes:
    """A payload that tells the sample function what to do."""
    return json.dumps(what).encode()


def test_serves(serve: Callable[..., Served], fc: Headers) -> None:
    """A call over a socket is answered, one connection serves many, and the log comes at once."""
    served = serve("events")
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    ports = set()
    for _ in range(3):
        connection.request("POST", "/invoke", order(), fc())
        answer = connection.getresponse()
        assert (answer.status, answer.headers["x-fc-status"]) == (200, "200")
        assert answer.headers["Server"] is None
        assert json.loads(answer.read())["function"] == "events"
        ports.add(connection.sock.getsockname())
    connection.close()
    assert len(ports) == 1
    assert sum(line.startswith("FC Invoke End RequestId: 1-67a96b43") for line in served.said) == 3


def test_overlapping(serve: Callable[..., Served], fc: Headers) -> None:
    """Calls overlap in one process, and each keeps its own credentials and request id."""
    served = serve("events", JUNBI_THREADS="4")
    told: dict[str, dict] = {}

    def call(name: str) -> None:
        headers = fc(x_fc_request_id=name, x_fc_access_key_id=f"STS.{name}")
        told[name] = json.loads(served.call("/invoke", order(sleep=1, do="say", text="t"), headers)[1])

    threads = [threading.Thread(target=call, args=(f"1-{number}",)) for number in range(4)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - begin < 3.5
    for name, answer in told.items():
        assert (answer["request_id"], answer["key_id"]) == (name, f"STS.{name}")
    assert {json.loads(line)["request_id"] for line in served.said if line.startswith("{")} == set(told)


def test_large_body(serve: Callable[..., Served], fc: Headers) -> None:
    """Through the socket too a body above the limit gets an answer in JSON, not a cut connection."""
    status, body = serve("events").call("/invoke", b"[" * (1 + (32 << 20)), fc())
    assert (status, json.loads(body)["type"]) == (413, "BodyTooLarge")


def test_sigterm(serve: Callable[..., Served], fc: Headers) -> None:
    """SIGTERM lets a call at work end, then the process ends with code 0."""
    served = serve("events")
    answers: list[tuple[int, bytes]] = []
    thread = threading.Thread(target=lambda: answers.append(served.call("/invoke", order(sleep=0.5), fc())))
    thread.start()
    patience = time.monotonic() + 10
    while not any("Start" in line for line in served.said):
        assert time.monotonic() < patience
        time.sleep(0.02)
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(5) == 0
    thread.join()
    assert any("FC Invoke End" in line for line in served.said)
    assert answers[0][0] == 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "usage: python -m junbi.runtime <function>"),
        (["a", "b"], "usage"),
        (["ghost"], "there are: broken, empty, events, hooks, web"),
        (["../functions/events"], "no function"),
        (["empty"], "has no `app`"),
    ],
)
def test_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """A wrong call, an unknown function and one without an application are one line and exit code 2."""
    monkeypatch.setenv("JUNBI_CODE_ROOT", str(FIXTURES))
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert said.startswith("junbi.runtime: ")


@pytest.mark.parametrize(
    ("name", "value"), [("FC_SERVER_PORT", "http"), ("FC_SERVER_PORT", "70000"), ("JUNBI_THREADS", "0")]
)
def test_settings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str) -> None:
    """A setting that cannot be is named, with what would be right."""
    monkeypatch.setenv(name, value)
    assert main(["events"]) == 2
    assert f"{name}={value!r}: expected a whole number" in capsys.readouterr().err


def test_taken_port(run: Callable[..., tuple[int, str]]) -> None:
    """A taken port is said in one line, with the setting that changes it."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, said = run("events", FC_SERVER_PORT=str(port))
    assert code == 1
    assert (
        said == f"junbi.runtime: cannot serve events on 127.0.0.1:{port}: Address already in use; set FC_SERVER_PORT\n"
    )


def test_code_root(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The functions are looked for under the working directory, or where JUNBI_CODE_ROOT says."""
    monkeypatch.chdir(tmp_path)
    assert main(["events"]) == 2
    assert f"no function 'events' under {tmp_path}/functions; there are: none" in capsys.readouterr().err


def test_all_addresses() -> None:
    """Unless it is told otherwise it listens on all addresses: on 127.0.0.1 alone FC finds no server."""
    settings = Settings.read({})
    assert (settings.host, settings.port, settings.threads) == ("0.0.0.0", 9000, 10)
