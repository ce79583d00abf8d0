"""Registers a watched image in AIWorkSpace where that is asked for; jobs name its address and need no registration."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.pipeline.registrar import Create, Found
from junbi.wire.aiworkspace import Label
from junbi.wire.images import ImageFields

if TYPE_CHECKING:
    from junbi.core.facts import Registration, Revision
    from junbi.core.plan import ImageSpec
    from junbi.ledger.generations import Scope
    from junbi.pipeline.wiring import Ports

#: Source: SDK prose of AddImage, whose own labels tell nothing of RDMA. Assumed: others are taken beside them.
_DLC, _CHIP, _FRAMEWORK, _RDMA = "system.supported.dlc", "system.chipType", "system.framework", "junbi.rdma"
_LONGEST_NAME = 50
_LONGEST_DEPLOYMENT = 12
_IDS = "0123456789abcdefghijklmnopqrstuvwxyz"


def find(ports: Ports, scope: Scope, revision: Revision, known_id: str) -> Found | Reason:
    """The image by the id that its digest gives it; what nobody wants registered is known as it is.

    ``known_id`` is an earlier digest's, for each is an image of its own.
    """
    line = ports.ledger.image_lines.get(revision.dataset)
    if line is None or not line.registers:
        return Found(revision.digest, revision.digest)
    image_id = _id(scope, revision)
    there = ports.images_in(scope.region).find(image_id)
    if there is None:
        return Found(known_id)
    if (there.image_uri or "").partition("@")[2] != revision.digest:
        return Reason(
            Code.PLATFORM_REFUSED,
            f"The workspace has {image_id}, which is {there.image_uri} and not what junbi registers under it.",
            fix="Delete that image; then run 'junbi apply'.",
        )
    return Found(image_id, revision.digest)


def create(ports: Ports, revision: Revision, known_id: str) -> Create:  # noqa: ARG001 - there is one create
    """AddImage, under an id that another try of the same would have too."""
    line, scope = ports.ledger.image_lines.get(revision.dataset), ports.scope
    request = ImageFields(
        name=_name(scope, revision),
        image_id=_id(scope, revision),
        image_uri=f"{revision.bucket}@{revision.digest}",
        description=f"{revision.prefix}, registered by junbi for {scope.deployment}.",
        accessibility="PUBLIC",
        workspace_id=scope.workspace,
        labels=_labels(line) if line else None,
    )
    client = ports.images_in(scope.region)
    return Create("AddImage", request, lambda stamp: client.add(request, stamp))


def created(operation: str, made: str, revision: Revision, known_id: str) -> Found:  # noqa: ARG001 - there is one create
    """The image."""
    return Found(made, revision.digest)


def is_gone(operation: str, code: str) -> bool:  # noqa: ARG001 - nothing is registered under anything else
    """Never: an image is under nothing that could be gone."""
    return False


def told(revision: Revision, registration: Registration) -> tuple[str, str]:
    """Which image it is."""
    where = f"image {registration.dataset_id} of the workspace" if is_registered(registration) else "used as it is"
    return "ImageRegistered", f"{revision.bucket}@{revision.digest} is {where}."


def is_registered(registration: Registration) -> bool:
    """Whether the workspace has it, and not only the registry."""
    return registration.dataset_id.startswith("image-")


def _id(scope: Scope, revision: Revision) -> str:
    """``image-`` and 18 of a-z and 0-9, from whose it is and what it is."""
    parts = (scope.deployment, scope.workspace, revision.dataset, revision.digest)
    number = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest())
    letters = []
    for _ in range(18):
        number, rest = divmod(number, len(_IDS))
        letters.append(_IDS[rest])
    return "image-" + "".join(letters)


def _name(scope: Scope, revision: Revision) -> str:
    """Unique by the digest, and a name for people before it."""
    end = f"-{revision.digest.partition(':')[2][:8]}-{_id(scope, revision)[-4:]}"
    start = re.sub("^[^a-z]+", "", f"{scope.deployment[:_LONGEST_DEPLOYMENT]}-{revision.dataset}")
    return f"{start or 'image'}"[: _LONGEST_NAME - len(end)] + end


def _labels(line: ImageSpec) -> list[Label]:
    told = {_DLC: "true", _CHIP: line.chip, _FRAMEWORK: line.framework, _RDMA: "true" if line.rdma else ""}
    return [Label(key=key, value=value) for key, value in told.items() if value]
