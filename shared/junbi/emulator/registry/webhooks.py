"""Tells the local registry's webhooks of every pushed image, as CNCF Distribution does, until somebody answers."""

from __future__ import annotations

import json
import time
import urllib.request
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus

import structlog

#: Seconds: what is waited for an answer, and the pauses before each try.
TIMEOUT, PAUSES = 5.0, (0.0, 1.0, 5.0, 15.0)

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where pushes are told, and the ``Authorization`` that comes with them."""

    url: str
    authorization: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Push:
    """A manifest that was pushed; ``tag`` is empty where it was pushed by its digest alone."""

    host: str
    repository: str
    tag: str
    digest: str
    media_type: str
    size: int

    def body(self) -> bytes:
        """The envelope. Source: Distribution's documentation on notifications."""
        target = {
            "mediaType": self.media_type,
            "size": self.size,
            "digest": self.digest,
            "repository": self.repository,
            **({"tag": self.tag} if self.tag else {}),
        }
        event = {
            "id": str(uuid.uuid4()),
            "timestamp": datetime.now(UTC).isoformat(),
            "action": "push",
            "target": target,
            "request": {"id": str(uuid.uuid4()), "host": self.host, "method": "PUT"},
        }
        return json.dumps({"events": [event]}).encode()


def deliver(webhook: Webhook, push: Push) -> None:
    """Send one delivery until it is answered with success, or the tries are used up."""
    headers = {"Content-Type": "application/vnd.docker.distribution.events.v2+json"}
    if webhook.authorization:
        headers["Authorization"] = webhook.authorization
    body, trouble = push.body(), ""
    for pause in PAUSES:
        time.sleep(pause)
        request = urllib.request.Request(webhook.url, body, headers)  # noqa: S310 - the address is the user's own
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
                if answer.status < HTTPStatus.MULTIPLE_CHOICES:
                    return
        except OSError as error:
            trouble = str(error)
    _log.warning("a push of an image was told to nobody", repository=push.repository, tag=push.tag, why=trouble)
