"""The local registry, as tools that push and pull see it."""

from __future__ import annotations

import json
import queue
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.model import ImageRef
from junbi.emulator.registry import Webhook
from junbi.emulator.registry.access import Access
from junbi.emulator.server import Server
from junbi.events import registry as events
from junbi.events.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@pytest.fixture
def deliveries() -> Iterator[tuple[str, queue.Queue[Any]]]:
    """Where webhooks are told, and what arrives: headers and bodies; the first delivery is not answered well."""
    arrived: queue.Queue[Any] = queue.Queue()

    def receive(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        arrived.put((environ["CONTENT_TYPE"], environ.get("HTTP_AUTHORIZATION"), body))
        start_response("503 Later" if arrived.qsize() == 1 else "200 OK", [("Content-Length", "0")])
        return [b""]

    server = Server(receive)
    yield server.url, arrived
    server.stop()


def test_a_push_is_told_until_somebody_answers(local: Any, deliveries: Any) -> None:
    """In the envelope that junbi reads from CNCF Distribution, with the agreed header."""
    url, arrived = deliveries
    registry = local()
    registry.host.webhooks.append(Webhook(url, "Bearer s3cret"))
    content = b'{"schemaVersion":2}'
    kind = "application/vnd.oci.image.index.v1+json"
    registry.call("PUT", "/v2/vision/torch/manifests/v1", content, Content_Type=kind)
    first, again = arrived.get(timeout=10), arrived.get(timeout=10)
    assert first == again
    assert first[1] == "Bearer s3cret"
    (event,) = events.parse(Delivery({"Content-Type": first[0]}, first[2], {}), datetime.now(UTC)).events
    assert event.subject == ImageRef(
        registry.name, "vision/torch", "v1", registry.client().digest("vision/torch", "v1")
    )


def test_images_outlive_the_registry(local: Any) -> None:
    """Another registry over the same directory has them."""
    index, _ = local().push("vision/torch", "v1")
    assert local().client().digest("vision/torch", "v1") == index


def test_what_was_pushed_is_pulled_byte_for_byte(local: Any) -> None:
    """Manifests and blobs; a blob in pieces is one."""
    registry = local()
    _, headers, _ = registry.call("POST", "/v2/a/blobs/uploads/", b"")
    _, headers, _ = registry.call("PATCH", headers["Location"], b"one ")
    assert headers["Range"] == "0-3"
    digest = "sha256:1f5f5dd4f4d8d8d0c0a31e4f8a63fc1f7a8e62a53d9e4f7d9b5bc0a5f3ab4b66"
    status, _, body = registry.call("PUT", f"{headers['Location']}?digest={digest}", b"two")
    assert (status, b"DIGEST_INVALID" in body) == (400, True)
    assert registry.call("GET", f"/v2/a/blobs/{digest}")[0] == 404
    registry.push("a", "v1", config=b"bytes \x00\xff")
    config = json.loads(registry.call("GET", "/v2/a/manifests/v1")[2])["manifests"][0]["digest"]
    blob = json.loads(registry.call("GET", f"/v2/a/manifests/{config}")[2])["config"]["digest"]
    assert registry.call("GET", f"/v2/a/blobs/{blob}")[2] == b"bytes \x00\xff"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v2/a/manifests/..", "MANIFEST_INVALID"),
        ("/v2/a/manifests/%2e%2e%2f%2e%2e", "NAME_INVALID|404|MANIFEST_INVALID"),
        ("/v2/../x/manifests/v1", "NAME_INVALID"),
        ("/v2/A/manifests/v1", "NAME_INVALID"),
        ("/v2/a/manifests/sha256:12", "MANIFEST_INVALID"),
        ("/v2/a/blobs/uploads/..", "BLOB_UPLOAD_UNKNOWN|404"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(local: Any, path: str, code: str, tmp_path: Any) -> None:
    """Nothing is written outside of the registry's directory, and nothing under a name that none can have."""
    registry = local()
    status, _, body = registry.call("PUT", path, b"{}", Content_Type="application/json")
    assert 400 <= status < 500
    assert any(one in f"{status} {body.decode()}" for one in code.split("|")), (status, body)
    assert [child.name for child in tmp_path.iterdir()] == ["registry"]
    assert not list((tmp_path / "registry/repositories").iterdir())


def test_a_manifest_under_a_wrong_digest_is_refused(local: Any) -> None:
    """What is kept under a digest has it."""
    registry = local()
    path = f"/v2/a/manifests/sha256:{'ab' * 32}"
    status, _, body = registry.call("PUT", path, b"{}", Content_Type="application/json")
    assert (status, b"DIGEST_INVALID" in body) == (400, True)


def test_a_deleted_tag_is_gone_and_a_deleted_manifest_takes_its_tags_along(local: Any) -> None:
    """Deleting a tag leaves what it named; deleting a manifest leaves no tag without one."""
    registry = local()
    index, _ = registry.push("a", "v1")
    registry.push("a", "v2")
    assert registry.call("DELETE", "/v2/a/manifests/v1")[0] == 202
    assert registry.client().tags("a") == ["v2"]
    assert registry.client().digest("a", index) == index
    assert registry.call("DELETE", f"/v2/a/manifests/{index}")[0] == 202
    assert registry.client().tags("a") == []
    assert registry.call("DELETE", f"/v2/a/manifests/{index}")[0] == 404


def test_a_token_for_pulling_does_not_push(local: Any) -> None:
    """A token is good for what it was asked for, in the repository it was asked for."""
    local().push("a", "v1")
    local().push("b", "v1")
    registry = local(Access({"robot": "hunter2"}))
    basic = "Basic cm9ib3Q6aHVudGVyMg=="
    _, _, body = registry.call("GET", "/token?service=x&scope=repository:a:pull", Authorization=basic)
    token = f"Bearer {json.loads(body)['token']}"
    assert registry.call("GET", "/v2/a/tags/list", Authorization=token)[0] == 200
    assert registry.call("GET", "/v2/b/tags/list", Authorization=token)[0] == 401
    status, headers, _ = registry.call("PUT", "/v2/a/manifests/v1", b"{}", Authorization=token)
    assert (status, 'scope="repository:a:pull,push"' in headers["WWW-Authenticate"]) == (401, True)
    assert isinstance(json.loads(body)["expires_in"], int)
