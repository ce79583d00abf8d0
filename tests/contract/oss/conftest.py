"""A local OSS on a real socket, and unmodified oss2 clients for it, one per way of signing."""

from __future__ import annotations

import gc
import warnings
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from junbi.emulator.clock import Clock
from junbi.emulator.faults import Faults
from junbi.emulator.keys import AccessKey, Keys
from junbi.emulator.oss.app import create_app
from junbi.emulator.oss.state import Buckets
from junbi.emulator.server import Server

with warnings.catch_warnings():
    # oss2 has escape sequences that Python warns of whenever it compiles them.
    warnings.simplefilter("ignore")
    import oss2
    from oss2.credentials import StaticCredentialsProvider

if TYPE_CHECKING:
    from collections.abc import Iterator

REGION = "cn-hangzhou"
ROOT = AccessKey("emulator", "emulator-secret")


#: oss2 leaves the connection of an answer that nobody read to the garbage collector.
UNREAD = "ignore:unclosed <socket:ResourceWarning"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let oss2 leave connections open in this folder's tests."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.filterwarnings(UNREAD))


@pytest.fixture(autouse=True, scope="module")
def _collected() -> Iterator[None]:
    """And let none of them be found in a test of another folder."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@dataclass
class Cloud:
    """A running local OSS and what a test may do to it."""

    directory: Path
    clock: Clock = field(default_factory=Clock)
    faults: Faults = field(default_factory=Faults)
    events: list[dict[str, Any]] = field(default_factory=list)
    clients: list[oss2.Bucket] = field(default_factory=list)
    deaf: bool = False

    def __post_init__(self) -> None:
        self.keys = Keys(ROOT, self.clock)
        self.buckets = Buckets(self.directory, self.clock)
        app = create_app(self.buckets, keys=self.keys, clock=self.clock, faults=self.faults, on_event=self.tell)
        self.server = Server(app)

    def tell(self, record: dict[str, Any]) -> None:
        """Where the events go, and what a listener that is broken does."""
        if self.deaf:
            raise ConnectionError("nobody listens")
        self.events.append(record)

    def auth(self, way: str) -> object:
        """An oss2 signer: ``v1``, ``v4``, ``provider-v4``, ``sts-v1`` or ``sts-v4``."""
        sts = self.keys.issue("reconcile")
        match way:
            case "v1":
                return oss2.Auth(ROOT.key_id, ROOT.secret)
            case "v4":
                return oss2.AuthV4(ROOT.key_id, ROOT.secret)
            case "provider-v4":
                return oss2.ProviderAuthV4(StaticCredentialsProvider(ROOT.key_id, ROOT.secret))
        return oss2.StsAuth(sts.key_id, sts.secret, sts.token, auth_version=way.removeprefix("sts-"))

    def client(self, auth: object, bucket: str = "vision-data", region: str = REGION) -> oss2.Bucket:
        """An oss2 client for a bucket, which may not exist."""
        client = oss2.Bucket(auth, self.server.url, bucket, region=region, connect_timeout=20)
        self.clients.append(client)
        return client

    def names(self) -> list[str]:
        """The event names so far."""
        return [record["eventName"] for record in self.events]

    def close(self) -> None:
        """Stop it; the files stay."""
        for client in self.clients:
            client.session.session.close()
        self.server.stop()
        self.buckets.close()


@contextmanager
def running(directory: Path) -> Iterator[Cloud]:
    """A local OSS with the bucket ``vision-data``, stopped at the end."""
    with closing(Cloud(directory)) as cloud:
        cloud.buckets.create_bucket("vision-data")
        yield cloud


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Cloud]:
    """A local OSS of this test's own."""
    with running(tmp_path / "oss") as one:
        yield one


@pytest.fixture(scope="module")
def lasting_cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """A local OSS shared by the examples of property tests."""
    with running(tmp_path_factory.mktemp("oss")) as one:
        yield one


@pytest.fixture(params=["v1", "v4", "sts-v1", "sts-v4"])
def bucket(request: pytest.FixtureRequest, cloud: Cloud) -> oss2.Bucket:
    """An oss2 client for ``vision-data``, in turn with every way of signing."""
    return cloud.client(cloud.auth(request.param))


@pytest.fixture
def client(cloud: Cloud) -> oss2.Bucket:
    """An oss2 client for ``vision-data``."""
    return cloud.client(cloud.auth("v4"))
