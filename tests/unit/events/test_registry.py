"""Pushes of images: every registry's announcements become the same kind of event, or say why they are none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from junbi.core.model import EventKind, ImageRef
from junbi.errors import MalformedPayload
from junbi.events import registry
from junbi.events.delivery import Delivery
from junbi.events.parsed import IgnoredCode, Parsed

SAMPLES = Path(__file__).parents[2] / "fixtures" / "events" / "registry"
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
D = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
D2 = "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
D3 = "sha256:fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13"


def sample(name: str) -> dict[str, Any]:
    """A delivery of ours, in the real shape."""
    document: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return document


def read(headers: dict[str, str], body: Any) -> Parsed[ImageRef]:
    """A delivery of this body, read."""
    return registry.parse(Delivery(headers, json.dumps(body).encode(), {}), NOW)


def parse(name: str) -> Parsed[ImageRef]:
    """A sample, read."""
    document = sample(name)
    return read(document["headers"], document["body"])


def images(parsed: Parsed[ImageRef]) -> list[str]:
    """The images of events, as people write them."""
    assert {event.kind for event in parsed.events} <= {EventKind.IMAGE_PUSHED}
    return [f"{event.subject} {event.subject.digest[:11]}".strip() for event in parsed.events]


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("acr-push", ImageRef("", "vision/torch", "2.3-cu124", D)),
        ("acr_event-pushed", ImageRef("vision-cr-registry.cn-hangzhou.cr.aliyuncs.com", "vision/torch", "2.3", D)),
        ("harbor-push", ImageRef("harbor.example.cn:8443", "vision/torch", "2.3", D)),
        ("harbor-old", ImageRef("harbor.example.cn:8443", "vision/torch", "2.3", D)),
        ("harbor-cloudevent", ImageRef("harbor.example.cn:8443", "vision/torch", "2.3", D)),
        ("dockerhub-push", ImageRef("docker.io", "vision/torch", "2.3")),
        ("dockerhub-official", ImageRef("docker.io", "library/python", "3.12")),
        ("distribution-v1", ImageRef("registry.example.cn:5000", "vision/torch", "2.3", D)),
        ("github_packages-package", ImageRef("ghcr.io", "vision/torch", "2.3", D)),
        ("github_packages-registry_package", ImageRef("ghcr.io", "vision/torch", "2.3", D)),
        ("github_packages-untagged", ImageRef("ghcr.io", "vision/torch", "", D)),
    ],
)
def test_a_push(name: str, image: ImageRef) -> None:
    """A push names host, repository, tag and digest, as far as the source tells them."""
    (event,) = parse(name).events
    assert (event.kind, event.subject) == (EventKind.IMAGE_PUSHED, image)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_the_right_source_is_recognised(path: Path) -> None:
    """Sources are told apart by their headers and bodies."""
    document = sample(path.stem)
    delivery = Delivery(document["headers"], json.dumps(document["body"]).encode(), {})
    found = registry.source(delivery, delivery.document())
    assert found is not None
    assert path.stem.partition("-")[0] == found.NAME


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("harbor-pull", IgnoredCode.NOT_A_PUSH),
        ("harbor-delete", IgnoredCode.NOT_A_PUSH),
        ("harbor-quota", IgnoredCode.NOT_A_PUSH),
        ("harbor-cloudevent-scan", IgnoredCode.NOT_A_PUSH),
        ("github_packages-deleted", IgnoredCode.NOT_A_PUSH),
        ("github_packages-npm", IgnoredCode.NOT_A_PUSH),
        ("github_packages-ping", IgnoredCode.PING),
    ],
)
def test_what_is_no_push_is_told_with_its_reason(name: str, code: IgnoredCode) -> None:
    """Pulls, deletions, scans, quotas of storage and packages of another kind are no images."""
    parsed = parse(name)
    assert (parsed.events, parsed.malformed) == ((), ())
    assert [each.code for each in parsed.ignored] == [code]


def test_bc_97_one_push_of_several_architectures() -> None:
    """BC-97: of an index, its manifests and layers, one event alone has the tag, and its digest is the index's."""
    parsed = parse("distribution-multi-arch")
    assert [(event.subject.tag, event.subject.digest) for event in parsed.events] == [("", D2), ("", D3), ("2.3", D)]
    assert len(parsed.ignored) == 1


def test_bc_98_one_event_sent_many_times() -> None:
    """BC-98: an event that a registry fires again and again has one id; the next push has another."""
    ids = {parse("harbor-push").events[0].id for _ in range(14)}
    assert len(ids) == 1
    later = sample("harbor-push")["body"] | {"occur_at": 1796000001}
    assert read({}, later).events[0].id not in ids


def test_bc_98_harbors_quota_is_none_of_ours() -> None:
    """BC-98: a nearly full project of Harbor is no image, and no quota of PAI."""
    assert parse("harbor-quota").ignored[0].name == "QUOTA_EXCEED"


def test_bc_100_an_unchanged_manifest_is_recognised_by_its_digest() -> None:
    """BC-100: an announcement without anything new names the digest that is known already."""
    again = sample("distribution-v1")["body"]
    again["events"][0] |= {"id": "cache-refresh"}
    first, second = parse("distribution-v1").events[0], read({}, again).events[0]
    assert first.subject == second.subject
    assert first.id != second.id


def test_bc_101_a_digest_in_the_place_of_a_tag() -> None:
    """BC-101: Harbor's digest where a tag is expected is a digest, and no tag."""
    (event,) = parse("harbor-push-digest").events
    assert (event.subject.tag, event.subject.digest) == ("", D)
    body = sample("harbor-push-digest")["body"]
    body["event_data"]["resources"][0]["digest"] = None
    (event,) = read({}, body).events
    assert (event.subject.tag, event.subject.digest) == ("", D)


def test_several_resources_of_one_push() -> None:
    """Harbor tells several tags at once."""
    assert images(parse("harbor-push-several")) == [
        "harbor.example.cn/vision/torch:2.3 sha256:9f86",
        "harbor.example.cn/vision/torch:2.3-rdma sha256:6030",
    ]


def test_event_bridge_sends_several() -> None:
    """An array, with texts in it, holds pushes and builds that succeeded; a failed build is told as such."""
    parsed = parse("acr_event-several")
    assert [event.subject.tag for event in parsed.events] == ["2.3", "2.4"]
    assert [each.name for each in parsed.ignored] == ["cr:Artifact:BuildCompleted", "cr:Artifact:ScanCompleted"]
    assert "FAILED" in parsed.ignored[0].message


def test_two_events_of_github_for_one_push_are_one() -> None:
    """``package`` and ``registry_package`` of one push have one id."""
    one, two = (parse(f"github_packages-{name}").events[0].id for name in ("package", "registry_package"))
    assert one == two


def test_a_tag_that_comes_back_is_pushed_again() -> None:
    """The same tag with the same digest at another time is another event: in between it may have been elsewhere."""
    body = sample("acr-push")["body"]
    later = body | {"push_data": body["push_data"] | {"pushed_at": "2026-11-30 19:00:00"}}
    assert read({}, body).events[0].id != read({}, later).events[0].id


@pytest.mark.parametrize("digest", [None, "", "sha256:abc123", "md5:" + "0" * 64, 7])
def test_a_digest_that_is_none_is_read_from_the_registry(digest: Any) -> None:
    """With a tag, a digest that cannot be right is as good as none."""
    body = sample("acr-push")["body"]
    body["push_data"]["digest"] = digest
    assert read({}, body).events[0].subject.digest == ""


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"tag": "", "digest": None}, "push_data.tag"),
        ({"tag": None, "digest": "sha256:abc123"}, "push_data.digest"),
        ({"tag": "-2.3"}, "push_data.tag"),
        ({"tag": "a/b"}, "push_data.tag"),
        ({"tag": "a" * 129}, "push_data.tag"),
        ({"tag": ["2.3"]}, "push_data.tag"),
    ],
)
def test_bc_74_a_push_says_where_it_is_wrong(change: dict[str, Any], path: str) -> None:
    """BC-74: neither tag nor digest, or a tag that no registry takes, is named with its place."""
    body = sample("acr-push")["body"]
    body["push_data"] |= change
    with pytest.raises(MalformedPayload) as caught:
        read({}, body)
    assert caught.value.path == path


@pytest.mark.parametrize("name", ["", "/torch", "vision/../torch", "vision torch", "vision/torch:2.3", "a" * 600])
def test_names_that_no_repository_has(name: str) -> None:
    """A name that could mean another place is refused."""
    body = sample("acr-push")["body"]
    body["repository"]["repo_full_name"] = name
    with pytest.raises(MalformedPayload):
        read({}, body)


def test_one_odd_event_costs_the_others_nothing() -> None:
    """An event of an envelope that cannot be read is told with its place."""
    body = sample("distribution-multi-arch")["body"]
    body["events"][1] = {"action": "push", "target": None}
    parsed = read({}, body)
    assert [event.subject.digest for event in parsed.events] == [D3, D]
    assert [problem.path for problem in parsed.malformed] == ["events[1].target"]


def test_a_time_without_a_zone_is_not_guessed() -> None:
    """Container Registry's time has no zone: the time of arrival counts."""
    assert parse("acr-push").events[0].at == NOW
    assert parse("distribution-v1").events[0].at == datetime(2026, 11, 30, 10, 0, 5, 123456, tzinfo=UTC)
    assert parse("dockerhub-push").events[0].at == datetime(2026, 11, 30, 0, 53, 20, tzinfo=UTC)


@pytest.mark.parametrize("body", [{}, {"events": []}, [], {"push_data": {}}, {"hello": 1}, 7, None])
def test_nobody_we_know(body: Any) -> None:
    """What no registry sends is refused, and the error says what came."""
    with pytest.raises(MalformedPayload, match="a registry that we know"):
        read({}, body)


def test_an_empty_envelope_of_distribution() -> None:
    """An envelope of its own type without events is one without events."""
    envelope = {"Content-Type": "application/vnd.docker.distribution.events.v1+json"}
    assert read(envelope, {"events": []}) == Parsed()
