"""AIWorkSpace 2021-02-04 as it travels: images that a workspace knows.

Source: AIWorkSpace SDK 8.3.5, and OpenAPI metadata of 2025-11 for what is required.
"""

from __future__ import annotations

from pydantic import Field

from junbi.wire.aiworkspace import Label
from junbi.wire.model import WireModel

#: The labels that may be set. Source: SDK prose of AddImage. None of them tells of RDMA.
LABEL_KEYS = frozenset(
    {
        "system.chipType",
        "system.framework",
        "system.origin",
        "system.pythonVersion",
        "system.source",
        "system.supported.dlc",
        "system.supported.dsw",
        *(
            f"system.dsw.{name}"
            for name in (
                *("cudaVersion", "fromImageId", "fromInstanceId", "id", "os", "osVersion", "resourceType"),
                *("rootImageId", "stage", "tag", "type"),
            )
        ),
    }
)


class ImageFields(WireModel):
    """What an image says, in requests and answers alike.

    Attributes:
        image_id: AddImage lets it be chosen: ``image-`` and 18 letters or digits. GetImage does not repeat it.
        name: 1 to 50 lowercase letters, digits and ``-``, beginning with a letter; unique in a workspace says the SDK,
            not so older metadata.
        image_uri: registry address with tag or digest; several images may have the same.
        labels: told only where ``Verbose`` was asked for.
        size: GB in AddImage, bytes in answers: the prose disagrees with itself.
        source_type: ``Import`` or ``Build``.
        accessibility: ``PUBLIC`` for everybody in the workspace, or ``PRIVATE``.
    """

    image_id: str | None = None
    name: str | None = None
    image_uri: str | None = None
    workspace_id: str | None = None
    description: str | None = None
    accessibility: str | None = None
    labels: list[Label] | None = None
    size: int | None = None
    source_type: str | None = None
    source_id: str | None = None
    user_id: str | None = None


class Image(ImageFields):
    """An image as it is listed."""

    parent_user_id: str | None = None
    gmt_create_time: str | None = None
    gmt_modified_time: str | None = None


class GetImageRequest(WireModel):
    """GetImage's query."""

    verbose: bool | None = None


class GetImageResponse(Image):
    """GetImage's answer."""

    request_id: str | None = None


class ImageIdResponse(WireModel):
    """The answer of AddImage and PublishImage."""

    image_id: str | None = None
    request_id: str | None = None


class ListImagesRequest(WireModel):
    """ListImages' query.

    Attributes:
        workspace_id: official images are listed where it is absent. Source: the vendor's guides.
        name: finds parts of names too, unless ``options`` is ``ExactMatchName``.
        labels: ``K=V,K=V``; an image must have all of them.
        query: a part of the name or the description.
    """

    workspace_id: str | None = None
    name: str | None = None
    options: str | None = None
    labels: str | None = None
    query: str | None = None
    image_uri: str | None = None
    accessibility: str | None = None
    verbose: bool | None = None
    sort_by: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None


class ListImagesResponse(WireModel):
    """ListImages' answer."""

    images: list[Image] = Field(default_factory=list)
    total_count: int = 0
    request_id: str | None = None
