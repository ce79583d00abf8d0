"""Local registries on real ports with an image in each, and registries that answer what a test says."""

from __future__ import annotations

import hashlib
import json
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from junbi.clients.http import ask
from junbi.clients.registry import Registry
from junbi.emulator.registry import RegistryHost
from junbi.emulator.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from junbi.emulator.registry.access import Access

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CREDENTIAL = "robot:hunter2"


def digest_of(content: bytes) -> str:
    """``sha256:…``."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass
class Local:
    """A local registry and the images in it."""

    host: RegistryHost
    server: Server

    @property
    def name(self) -> str:
        """As images are named by it."""
        return f"127.0.0.1:{self.server.port}"

    def client(self, credential: str = "", **more: Any) -> Registry:
        """Our client of it."""
        return Registry(self.name, credential, **more)

    def call(self, method: str, path: str, content: bytes | None = None, **headers: str) -> tuple[int, Any, bytes]:
        """One request as a tool that pushes sends it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"http://{self.name}{path}", content, named, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def push(self, repository: str, tag: str, *, config: bytes = b"{}") -> tuple[str, str]:
        """Push an image for one platform and an index of it under the tag; the digests of both."""
        _, headers, _ = self.call("POST", f"/v2/{repository}/blobs/uploads/", b"")
        status, _, _ = self.call("PUT", f"{headers['Location']}?digest={digest_of(config)}", config)
        assert status == 201
        layers = {"config": {"mediaType": "x", "digest": digest_of(config), "size": len(config)}, "layers": []}
        manifest = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, **layers}).encode()
        where = f"/v2/{repository}/manifests/"
        assert self.call("PUT", f"{where}{digest_of(manifest)}", manifest, Content_Type=MANIFEST)[0] == 201
        listed = [{"mediaType": MANIFEST, "digest": digest_of(manifest), "size": len(manifest)}]
        index = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": listed}).encode()
        assert self.call("PUT", f"{where}{tag}", index, Content_Type=INDEX)[0] == 201
        return digest_of(index), digest_of(manifest)


@pytest.fixture(autouse=True, scope="session")
def _ready() -> None:
    """The first request of a process takes longer, as it reads the certificates: not within a test's short deadline."""
    ask("GET", "http://127.0.0.1:1/", headers={}, seconds=20)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Callable[..., Local]]:
    """Makes local registries, each over the images of the one before."""
    with ExitStack() as stack:

        def make(access: Access | None = None) -> Local:
            host = RegistryHost(tmp_path / "registry", access)
            server = Server(host)
            stack.callback(server.stop)
            return Local(host, server)

        yield make


@dataclass
class Scripted:
    """A server that answers in turn what it was told, the last for ever, and keeps what it was asked."""

    answers: list[tuple[int, dict[str, str], bytes]]
    asked: list[tuple[str, str, str]] = field(default_factory=list)  #: method, target, Authorization

    def __post_init__(self) -> None:
        self.server = Server(self._answer)
        self.name = f"127.0.0.1:{self.server.port}"

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        authorization = environ.get("HTTP_AUTHORIZATION", "")
        self.asked.append((environ["REQUEST_METHOD"], environ["REQUEST_URI"], authorization))
        status, headers, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        start_response(f"{status} Said", [*headers.items(), ("Content-Length", str(len(body)))])
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    """Makes such servers; an answer is a status, headers and a body."""
    with ExitStack() as stack:

        def make(*answers: tuple[int, dict[str, str], bytes]) -> Scripted:
            made = Scripted(list(answers))
            stack.callback(made.server.stop)
            return made

        yield make
