"""What a Git host and a registry call our doors with: Gitea's deliveries, and Harbor's."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import TYPE_CHECKING

from junbi.events.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The one secret that all deliveries are proved with, and the name it goes by.
SECRET, SECRET_NAME = "a long random secret", "HOOK"
_NOTHING = "0" * 40


def moved(number: int, address: str, ref: str, *, before: str, after: str, paths: Iterable[str] | None) -> Delivery:
    """A push of one commit; of a forced one (``paths`` None) no commits are listed."""
    commits = [] if paths is None else [{"id": after, "added": [], "modified": list(paths), "removed": []}]
    told = {"ref": ref, "before": before or _NOTHING, "after": after, "commits": commits, "total_commits": len(commits)}
    return _gitea(number, "push", {**told, "head_commit": {"id": after}, "repository": {"clone_url": address}})


def deleted(number: int, address: str, ref: str) -> Delivery:
    """A branch or tag is gone."""
    kind, name = ref.removeprefix("refs/").split("/")
    told = {"ref": name, "ref_type": {"heads": "branch", "tags": "tag"}[kind], "repository": {"clone_url": address}}
    return _gitea(number, "delete", told)


def pushed(number: int, repository: str, tag: str, digest: str) -> Delivery:
    """A tag of an image was pushed."""
    resource = {"digest": digest, "tag": tag, "resource_url": f"{repository}:{tag}"}
    path = repository.partition("/")[2]
    told = {
        "type": "PUSH_ARTIFACT",
        "occur_at": 1_770_000_000 + number,
        "operator": "ada",
        "event_data": {"resources": [resource], "repository": {"repo_full_name": path, "name": path}},
    }
    return Delivery({"Content-Type": "application/json", "Authorization": SECRET}, json.dumps(told).encode(), {})


def _gitea(number: int, event: str, told: dict[str, object]) -> Delivery:
    body = json.dumps(told).encode()
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"X-Gitea-Event": event, "X-Gitea-Delivery": str(number), "X-Gitea-Signature": signature}
    return Delivery(headers, body, {})
