"""Webhooks of the local Git host: a push told as Gitea tells it, signed, and sent again where nobody answered."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
import urllib.request
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Seconds: what Gitea waits for an answer, and pauses before this host's further tries.
TIMEOUT, PAUSES = 5.0, (0.0, 1.0, 5.0, 15.0)

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where pushes are told, and the secret that they are signed with."""

    url: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Push:
    """A ref that moved, and the commits that came with it: id and changed paths of each, oldest first."""

    repository: str
    ref: str
    before: str
    after: str
    commits: Sequence[tuple[str, dict[str, list[str]]]]

    def body(self) -> bytes:
        """As Gitea writes it; fields that nobody here reads are left out. Source: Gitea's webhook documentation."""
        path = self.repository.split("://", 1)[-1].partition("/")[2].removesuffix(".git")
        commits = [{"id": commit, **changed} for commit, changed in self.commits]
        told = {
            "ref": self.ref,
            "before": self.before,
            "after": self.after,
            "commits": commits,
            "total_commits": len(commits),
            "head_commit": commits[-1] if commits else None,
            "repository": {
                "full_name": path,
                "clone_url": f"{self.repository.removesuffix('.git')}.git",
                "html_url": self.repository.removesuffix(".git"),
            },
        }
        return json.dumps(told, ensure_ascii=False).encode()


def deliver(webhook: Webhook, push: Push) -> None:
    """Send a push to a webhook. One that cannot be delivered is told on standard error: the timer finds the commit."""
    body = push.body()
    headers = {
        "Content-Type": "application/json",
        "X-Gitea-Event": "push",
        "X-Gitea-Delivery": str(uuid.uuid4()),
        "X-Gitea-Signature": hmac.new(webhook.secret.encode(), body, hashlib.sha256).hexdigest(),
    }
    why = ""
    for pause in PAUSES:
        time.sleep(pause)
        why = _send(urllib.request.Request(webhook.url, body, headers))  # noqa: S310 - the address is our own
        if not why:
            return
    _log.warning("a push could not be told", url=webhook.url, ref=push.ref, error=why)


def _send(request: urllib.request.Request) -> str:
    """Send it once; what went wrong, empty for nothing."""
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
            answer.read()
    except OSError as error:
        return str(error)
    return ""
