"""The images of the emulated workspace, kept in Records, and the operations on them."""

from __future__ import annotations

import re
import secrets
import string
from typing import TYPE_CHECKING

from junbi.emulator.api_error import ApiError, invalid, not_found
from junbi.emulator.paging import comma_list, page
from junbi.emulator.route import Call, Evidence, Route
from junbi.emulator.workspace.account import ACCOUNT_ID, timestamp
from junbi.emulator.workspace.listing import ordered
from junbi.wire import images as wire
from junbi.wire import operations
from junbi.wire.aiworkspace import RequestIdResponse

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.emulator.records import Records
    from junbi.emulator.workspace.state import WorkspaceState

_KIND = "image"
_ALPHABET = string.ascii_lowercase + string.digits
#: Source: SDK prose.
_NAME = re.compile(r"[a-z][a-z0-9-]{0,49}")
_ID = re.compile(r"image-[a-z0-9]{18}")
_URI = re.compile(
    r"[A-Za-z0-9.:-]+(?:/[A-Za-z0-9._-]+)+(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
_ORDERS = {"GmtCreateTime": "gmt_create_time"}
_LABEL_BYTES = 128


class Images:
    """Adds, shows and removes images; each change is durable when it returns."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def add(self, request: wire.ImageFields, workspace_id: str, user: str, now: datetime) -> str:
        """Add one; its id. Names are unique in a workspace: of two sources that disagree, the stricter."""
        _check(request)
        image_id = request.image_id or "image-" + "".join(secrets.choice(_ALPHABET) for _ in range(18))
        document = {
            "Accessibility": "PRIVATE",
            "SourceType": "Import",
            "UserId": user,
            **request.to_wire(),
            "WorkspaceId": workspace_id,
            "ImageId": image_id,
            "ParentUserId": ACCOUNT_ID,
            "GmtCreateTime": timestamp(now),
            "GmtModifiedTime": timestamp(now),
        }
        with self._records.transaction():
            if any((one.name, one.workspace_id) == (request.name, workspace_id) for one in self.all()):
                raise ApiError("ImageAlreadyExists", f"An image is named {request.name!r} already.", 409)
            if not self._records.add(_KIND, image_id, document):
                raise ApiError("ImageAlreadyExists", f"There is an image {image_id} already.", 409)
        return image_id

    def get(self, image_id: str) -> wire.Image:
        """One by its id. ApiError NotFound where there is none."""
        document = self._records.get(_KIND, image_id)
        if document is None:
            raise not_found(f"Image {image_id}")
        return wire.Image.from_wire(document)

    def all(self) -> list[wire.Image]:
        """Every image."""
        return [wire.Image.from_wire(document) for document in self._records.all(_KIND)]

    def publish(self, image_id: str, now: datetime) -> None:
        """Show it to everybody in the workspace."""
        with self._records.transaction():
            changes = {"Accessibility": "PUBLIC", "GmtModifiedTime": timestamp(now)}
            self._records.put(_KIND, image_id, {**self.get(image_id).to_wire(), **changes})

    def remove(self, image_id: str) -> None:
        """Forget one; the registry keeps it. ApiError NotFound where there is none."""
        self.get(image_id)
        self._records.delete(_KIND, image_id)


def _check(request: wire.ImageFields) -> None:
    if not _NAME.fullmatch(request.name or ""):
        raise invalid("Name must be 1 to 50 lowercase letters, digits or '-', and begin with a letter.")
    if not _URI.fullmatch(request.image_uri or ""):
        raise invalid(f"ImageUri {request.image_uri!r} is no address of an image.")
    if request.accessibility not in {None, "PUBLIC", "PRIVATE"}:
        raise invalid("Accessibility is PUBLIC or PRIVATE.")
    if request.source_type not in {None, "Import", "Build"}:
        raise invalid("SourceType is Import or Build.")
    if request.image_id is not None and not _ID.fullmatch(request.image_id):
        raise invalid("ImageId must be 'image-' and 18 lowercase letters or digits.")
    for label in request.labels or ():
        _check_label(label.key or "", label.value or "")


def _check_label(key: str, value: str) -> None:
    """The documented keys; that others are taken unless they begin like PAI's own is assumed."""
    if not key or (key.startswith("system.") and key not in wire.LABEL_KEYS):
        raise invalid(f"Label {key!r} cannot be set.")
    if any(len(part.encode()) > _LABEL_BYTES or "=" in part or "," in part for part in (key, value)):
        raise invalid(f"Label {key!r}: key and value have up to {_LABEL_BYTES} bytes, without '=' and ','.")


def matching(found: list[wire.Image], query: wire.ListImagesRequest) -> list[wire.Image]:
    """Those that a query asks for. Official images, listed where it names no workspace, are not held here."""
    if query.options not in {None, "", "ExactMatchName"}:
        raise invalid("Options is ExactMatchName or absent.")
    name, part, labels = query.name or "", (query.query or "").lower(), comma_list(query.labels)
    exact = query.options == "ExactMatchName"
    return [
        image
        for image in found
        if image.workspace_id == query.workspace_id
        and (not name or (image.name == name if exact else name.lower() in (image.name or "")))
        and part in f"{image.name}\n{image.description or ''}".lower()
        and query.image_uri in {None, "", image.image_uri}
        and query.accessibility in {None, "", image.accessibility}
        and labels <= {f"{label.key}={label.value}" for label in image.labels or ()}
    ]


def add_image(state: WorkspaceState, call: Call) -> wire.ImageIdResponse:
    """AddImage."""
    request = call.body_as(wire.ImageFields)
    workspace_id = state.workspaces.resolve(request.workspace_id)
    return wire.ImageIdResponse(image_id=state.images.add(request, workspace_id, call.user_id, call.now))


def get_image(state: WorkspaceState, call: Call) -> wire.GetImageResponse:
    """GetImage."""
    query = call.query_as(wire.GetImageRequest)
    document = _shown(state.images.get(call.segments["ImageId"]), verbose=query.verbose).to_wire()
    del document["ImageId"]
    return wire.GetImageResponse.from_wire(document)


def list_images(state: WorkspaceState, call: Call) -> wire.ListImagesResponse:
    """ListImages."""
    query = call.query_as(wire.ListImagesRequest)
    found = ordered(matching(state.images.all(), query), _ORDERS, query.sort_by, query.order)
    shown = [
        _shown(image, verbose=query.verbose) for image in page(found, query.page_number, query.page_size, default=20)
    ]
    return wire.ListImagesResponse(images=shown, total_count=len(found))


def publish_image(state: WorkspaceState, call: Call) -> wire.ImageIdResponse:
    """PublishImage."""
    image_id = call.segments["ImageId"]
    state.images.publish(image_id, call.now)
    return wire.ImageIdResponse(image_id=image_id)


def remove_image(state: WorkspaceState, call: Call) -> RequestIdResponse:
    """RemoveImage."""
    state.images.remove(call.segments["ImageId"])
    return RequestIdResponse()


def _shown(image: wire.Image, *, verbose: bool | None) -> wire.Image:
    return image if verbose else image.model_copy(update={"labels": None})


ROUTES: tuple[Route[WorkspaceState], ...] = (
    Route(
        operations.ADD_IMAGE,
        Evidence.METADATA,
        add_image,
        "The code of a name that is taken, that labels of one's own are taken, and the form of ImageUri are assumed.",
    ),
    Route(operations.GET_IMAGE, Evidence.METADATA, get_image, "The status of NotFound (404) is assumed."),
    Route(
        operations.LIST_IMAGES,
        Evidence.METADATA,
        list_images,
        "No official images are held. Assumed: ImageUri is matched whole, and labels are told with Verbose alone.",
    ),
    Route(operations.PUBLISH_IMAGE, Evidence.METADATA, publish_image),
    Route(operations.REMOVE_IMAGE, Evidence.METADATA, remove_image),
)
