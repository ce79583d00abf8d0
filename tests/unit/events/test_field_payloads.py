"""Payloads from the field, where a machine has them: each becomes the right event, or is refused with a reason."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.model import EventKind
from junbi.errors import MalformedPayload
from junbi.events import eventbridge, git, oss, registry
from junbi.events.delivery import Delivery
from junbi.events.document import load

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(os.environ.get("JUNBI_PAYLOADS", "/nonexistent"))
NOW = datetime(2026, 11, 30, tzinfo=UTC)
MOVED, REMOVED, PUSHED = EventKind.REF_MOVED, EventKind.REF_REMOVED, EventKind.IMAGE_PUSHED
CREATED = EventKind.OBJECT_CREATED

#: Folder, then how a file's name begins: what it comes to. ``bad`` is MalformedPayload, ``-`` is ignored with a reason.
EXPECTED: dict[str, dict[str, Any]] = {
    "github": {
        "octokit-ping": "-",
        "argocd-ping": "-",
        "octokit-create": "-",
        "octokit-package-published.npm": "-",
        "octokit-package-published.docker": "bad",
        "octokit-registry_package": "bad",
        "argocd-ghcr": PUSHED,
        "keel-fakeGithubPackage": "-",
        "keel-fakeGithubContainer": PUSHED,
        "goscm-push_branch_delete": REMOVED,
        "goscm-tag_delete": "-",
        "octokit-push-payload": REMOVED,
        "": MOVED,
    },
    "gitlab": {"goscm-branch_delete": REMOVED, "goscm-tag_delete": REMOVED, "": MOVED},
    "gitee": {"goscm-push_branch_delete": REMOVED, "goscm-tag_delete": REMOVED, "": MOVED},
    "gitea": {"goscm-branch_delete": REMOVED, "goscm-tag_delete": REMOVED, "goplayground-delete": REMOVED, "": "-"},
    "bitbucket": {"goscm-push_branch_delete": REMOVED, "goscm-push_tag_delete": REMOVED, "": MOVED},
    "bitbucket-server": {"": REMOVED},
    "harbor": {"docs-artifact_pushed": PUSHED, "keel-fakeHarborWebhook2": PUSHED, "": "-"},
    "dockerhub": {"jenkins-public": "bad", "": PUSHED},
    "oci-distribution": {"docs-envelope": PUSHED, "": "-"},
    "fc-oss": {"code-example-python": CREATED, "code-example-java": CREATED, "knative": CREATED, "": EventKind.NOTHING},
    "fc-other": {"": "bad"},
    "fc-sls": {"": "bad"},
    "fc-timer": {"": "bad"},
    "fc-http": {"": "bad"},
    "_docs-transcribed": {"codeup-push": MOVED, "eventbridge-oss": CREATED, "eventbridge-cr": PUSHED, "": "bad"},
    "fc-eventbridge": {"": "bad"},
}


def headers(folder: str, document: Any) -> dict[str, str]:
    """The headers that a host sends beside such a body; only the bodies were published."""
    members = set(document) if isinstance(document, dict) else set()
    package = {"package", "registry_package"} & members
    if folder == "github":
        event = "ping" if "zen" in members else package.pop() if package else "push"
        return {"X-GitHub-Event": "create" if "ref_type" in members and "before" not in members else event}
    if folder == "gitea":
        event = "delete" if "sha" not in members and "default_branch" not in members else "create"
        return {"X-Gitea-Event": event, "X-GitHub-Event": event}
    tag = "tag" in str(document.get("object_kind") or document.get("hook_name")) if members else False
    hook = "Tag Push Hook" if tag else "Push Hook"
    return {
        "gitlab": {"X-Gitlab-Event": hook},
        "gitee": {"X-Gitee-Event": hook},
        "bitbucket": {"X-Event-Key": "repo:push"},
        "bitbucket-server": {"X-Event-Key": "repo:refs_changed"},
        "_docs-transcribed": {"Codeup-Event": hook} if "object_kind" in members else {},
    }.get(folder, {})


def reader(folder: str, name: str, raw: bytes) -> Callable[[], Any]:
    """What reads a payload."""
    try:
        document = json.loads(raw)
    except ValueError:
        document = None
    delivery = Delivery(headers(folder, document), raw, {})
    if folder.startswith("fc-") or name.startswith("eventbridge-oss"):
        return lambda: oss.parse(raw)
    packages = isinstance(document, dict) and {"package", "registry_package"} & set(document)
    if folder in {"harbor", "dockerhub", "oci-distribution"} or name.startswith("eventbridge-") or packages:
        return lambda: registry.parse(delivery, NOW)
    return lambda: git.parse(delivery, NOW)


def corpus() -> list[Path]:
    """Every payload there is."""
    return sorted(FOLDER.glob("*/*.json"))


@pytest.mark.skipif(not corpus(), reason="JUNBI_PAYLOADS names no folder with payloads")
@pytest.mark.parametrize("path", corpus(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_payload_from_the_field(path: Path) -> None:
    """Its kind of event, ignored with a reason, or refused with a reason; nothing else is ever raised."""
    table = EXPECTED[path.parent.name]
    expected = next(kind for start, kind in table.items() if path.name.startswith(start))
    try:
        json.loads(path.read_bytes())
    except ValueError:
        expected = "bad"  # published with a mistake in it
    read = reader(path.parent.name, path.name, path.read_bytes())
    if expected == "bad":
        with pytest.raises(MalformedPayload) as caught:
            read()
        assert str(caught.value).isprintable()
        return
    parsed = read()
    assert {event.kind for event in parsed.events} == ({expected} if expected != "-" else set())
    assert parsed.ignored or parsed.events


@pytest.mark.skipif(not corpus(), reason="JUNBI_PAYLOADS names no folder with payloads")
@pytest.mark.parametrize("path", corpus(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_payload_from_the_field_hints_at_a_job(path: Path) -> None:
    """None of them is about a job of PAI."""
    try:
        assert eventbridge.job_hints(load(path.read_bytes())) == frozenset()
    except MalformedPayload:
        return
