"""AIWorkSpace's images: what a workspace knows of images in registries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.clients.api import required
from junbi.clients.paging import SIZE, every_row
from junbi.core.refusals import IMAGE_GONE
from junbi.errors import Refused
from junbi.wire import images as wire
from junbi.wire import operations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.clients.api import Api
    from junbi.clients.signing import Stamp


class ImagesClient:
    """Raises the errors of ``Api.call``. Adds are sent once, signed with the given stamp."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def find_named(self, workspace: str, name: str) -> wire.Image | None:
        """The image of exactly this name, with its labels; the oldest of several, None where there is none."""

        def fetch(number: int) -> tuple[Sequence[wire.Image], int]:
            query = wire.ListImagesRequest(
                workspace_id=workspace,
                name=name,
                options="ExactMatchName",
                verbose=True,
                page_number=number,
                page_size=SIZE,
            )
            answer = self._api.call(operations.LIST_IMAGES, wire.ListImagesResponse, query=query)
            return answer.images, answer.total_count

        rows = every_row("ListImages", fetch, key=lambda image: image.image_id)
        found = (one for one in rows if one.name == name)
        return min(found, key=lambda image: image.gmt_create_time or "", default=None)

    def find(self, image_id: str) -> wire.Image | None:
        """The image of this id, with its labels; None where there is none."""
        segments, query = {"ImageId": image_id}, wire.GetImageRequest(verbose=True)
        try:
            found = self._api.call(operations.GET_IMAGE, wire.GetImageResponse, segments=segments, query=query)
        except Refused as error:
            if error.code not in IMAGE_GONE:
                raise
            return None
        return found.model_copy(update={"image_id": image_id})

    def add(self, request: wire.ImageFields, stamp: Stamp) -> str:
        """Add an image; gives its id."""
        operation = operations.ADD_IMAGE
        answer = self._api.call(operation, wire.ImageIdResponse, body=request, stamp=stamp)
        return required(operation, "ImageId", answer.image_id)

    def publish(self, image_id: str) -> None:
        """Show an image to everybody in the workspace."""
        segments = {"ImageId": image_id}
        self._api.call(operations.PUBLISH_IMAGE, wire.ImageIdResponse, segments=segments)
