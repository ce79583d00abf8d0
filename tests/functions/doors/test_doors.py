"""The doors as FC calls them: what needs a proof, what FC itself vouches for, and what they reach outside: nothing."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.fixtures.declared import DIGITS, SECRET, TRAINER, push

from junbi.core.plan import Generation, ImageSpec
from junbi.pipeline import wiring
from junbi.runtime.load import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.test import TestResponse

    from junbi.ledger.ledger import Ledger

ROOT = Path(__file__).parents[3]
EVENTS = ROOT / "tests" / "fixtures" / "events"
HOST = "vision-cr-registry.cn-hangzhou.cr.aliyuncs.com"
#: No webhook is named, so that nobody can prove a push of it: EventBridge alone tells of it.
TORCH = ImageSpec(name="torch", repository=f"{HOST}/vision/torch", host=HOST, path="vision/torch", tag="2.3")


class Deaf:
    """A socket that takes connections, and never says anything to anybody."""

    def __init__(self) -> None:
        self.calls: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                self.calls.append(self._listening.accept()[0])

    def stop(self) -> None:
        """Hang up."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for call in self.calls:
            call.close()


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """The ledger that the functions open, with something of each kind watched."""
    monkeypatch.setenv("JUNBI_LEDGER", f"sqlite:///{tmp_path}/ledger.db")
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    wiring.ledger.cache_clear()
    made = wiring.ledger()
    declared = Generation(
        deployment="vision",
        environment="prod",
        region="cn-hangzhou",
        workspace="104231",
        datasets={"digits": DIGITS},
        code={"trainer": TRAINER},
        images={"torch": TORCH},
        plans={},
    )
    with made.transaction():
        made.generations.apply(declared, made.now())
        made.code_lines.put(declared.code, made.now())
        made.image_lines.put(declared.images, made.now())
    yield made
    wiring.ledger.cache_clear()


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deaf]:
    """Stands for every service but FC, which is not reached at all."""
    made = Deaf()
    for service in ("AIWORKSPACE", "DLC", "PAISTUDIO", "OSS", "GIT", "REGISTRY"):
        monkeypatch.setenv(f"JUNBI_ENDPOINT_{service}", made.url)
    monkeypatch.setenv("JUNBI_ENDPOINT_FC", "http://127.0.0.1:9")
    yield made
    made.stop()


def call(function: str, body: bytes, path: str = "/invoke", **headers: str) -> TestResponse:
    """A call by FC: of the function itself, or of its HTTP trigger."""
    sent = {
        "x-fc-control-path": path,
        "x-fc-request-id": "1-1",
        "x-fc-access-key-id": "a",
        "x-fc-access-key-secret": "b",
    }
    where = path if path == "/invoke" else "/"
    return load(function, ROOT).test_client().post(where, data=body, headers={**sent, **headers})


def bridged(name: str = "registry/acr_event-pushed.json", **changes: Any) -> bytes:
    """An event as EventBridge hands it over."""
    return json.dumps(json.loads((EVENTS / name).read_text("utf-8"))["body"] | changes).encode()


def upload() -> bytes:
    """An object of a watched upload."""
    record = json.loads((EVENTS / "oss" / "put.json").read_text("utf-8"))["events"][0]
    record["oss"]["bucket"]["name"], record["oss"]["object"]["key"] = "vision-data", "digits/v1/part-0"
    return json.dumps({"events": [record]}).encode()


def test_doors_reach_nothing_outside_whatever_hangs(ledger: Ledger, deaf: Deaf) -> None:
    """PAI, OSS, Git host and registry accept and never answer: the doors note and answer; they call none."""
    body, headers = push(1)
    answers = [
        call("oss_upload", upload()),
        call("git_push", body, "/http-invoke", **headers),
        call("image_push", bridged()),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].get_json()["noted"] == 1
    assert [answer.get_json()["noted"] for answer in answers[1:]] == [["trainer"], ["torch"]]
    assert {item.kind for item in ledger.worklist.claim(ledger.now())} >= {"code", "image"}
    assert deaf.calls == []


@pytest.mark.usefixtures("deaf")
def test_what_eventbridge_hands_over_needs_no_secret(ledger: Ledger) -> None:
    """FC lets nobody else call the function itself: the image is noted though its entry names no webhook."""
    answer = call("image_push", bridged())
    assert (answer.headers["x-fc-status"], answer.get_json()["noted"]) == ("200", ["torch"])
    (kept,) = ledger.deliveries.newest()
    assert (kept.endpoint, kept.source, kept.outcome["noted"]) == ("image_push", "acr_event", ["torch"])
    assert "duplicate" in call("image_push", bridged()).get_json()
    assert "duplicate" not in call("image_push", bridged(id="a-2")).get_json()


@pytest.mark.usefixtures("deaf")
def test_the_same_event_at_the_address_needs_one(ledger: Ledger) -> None:
    """Anybody can call an HTTP trigger, and ask there for any path: nothing is noted."""
    answers = [call("image_push", bridged(), "/http-invoke"), _at_path("/invoke", bridged())]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert ledger.deliveries.newest() == []


def _at_path(path: str, body: bytes) -> TestResponse:
    client = load("image_push", ROOT).test_client()
    return client.post(path, data=body, headers={"x-fc-control-path": "/http-invoke", "x-fc-request-id": "1-1"})


@pytest.mark.usefixtures("deaf")
def test_what_is_no_push_or_watched_by_nobody_is_ignored_with_why(ledger: Ledger) -> None:
    """A scan pushes nothing, and of an image that no entry names nothing is kept but the answer."""
    scan = call("image_push", bridged(type="cr:Artifact:ScanCompleted")).get_json()
    other = call("image_push", bridged(data={**json.loads(bridged())["data"], "RepoName": "other"})).get_json()
    assert (scan["noted"], other["noted"]) == ([], [])
    assert "NotAPush" in next(iter(scan["ignored"]))
    assert "No entry under 'images' watches" in next(iter(other["ignored"]))
    assert "secret" not in str(other)
    assert ledger.worklist.entry("image", "torch") is None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"hello": "world"}', bridged(source="acs.oss")])
@pytest.mark.usefixtures("deaf")
def test_what_cannot_be_read_is_kept_and_handled(ledger: Ledger, body: bytes) -> None:
    """FC would send it again and again: it is quarantined, and the call counts as a success."""
    answer = call("image_push", body)
    (kept,) = ledger.quarantined()
    assert (answer.headers["x-fc-status"], kept["function"]) == ("200", "image_push")
    assert answer.get_json()["refused"]["message"]
