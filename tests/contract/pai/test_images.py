"""Images, through the unmodified official SDK."""

from __future__ import annotations

import re
from typing import Any

import pytest
from alibabacloud_aiworkspace20210204 import models as sdk
from alibabacloud_tea_openapi.exceptions import ClientException

WORKSPACE = "104231"
URI = f"registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch@sha256:{'ab' * 32}"
ID = "image-abcdefghijklmnop12"


def image(**changes: Any) -> sdk.AddImageRequest:
    """A request that is accepted unless a member is changed."""
    members = {
        "name": "torch-v1",
        "image_uri": URI,
        "workspace_id": WORKSPACE,
        "labels": [sdk.AddImageRequestLabels(key="system.chipType", value="GPU")],
    }
    return sdk.AddImageRequest(**{**members, **changes})


def refusal(call: Any, *arguments: Any) -> ClientException:
    """The refusal of a call that must be refused."""
    with pytest.raises(ClientException) as caught:
        call(*arguments)
    return caught.value


def listed(client: Any, **query: Any) -> list[str]:
    """The names that a list shows."""
    request = sdk.ListImagesRequest(**{"workspace_id": WORKSPACE, "order": "ASC", **query})
    body = client.list_images(request).body
    assert body.total_count >= len(body.images)
    return [one.name for one in body.images]


def test_an_image_is_added_shown_published_and_removed(pai: Any) -> None:
    """Its labels are shown only to whoever asks for all; it outlives a restart."""
    made = pai.workspace_sdk().add_image(image()).body.image_id
    assert re.fullmatch(r"image-[a-z0-9]{18}", made)
    pai.restart()
    client = pai.workspace_sdk()
    found = client.get_image(made, sdk.GetImageRequest(verbose=True)).body.to_map()
    assert (found["Name"], found["ImageUri"], found["Accessibility"]) == ("torch-v1", URI, "PRIVATE")
    assert found["Labels"] == [{"Key": "system.chipType", "Value": "GPU"}]
    assert client.get_image(made, sdk.GetImageRequest()).body.labels == []
    assert client.publish_image(made, sdk.PublishImageRequest()).body.image_id == made
    assert client.get_image(made, sdk.GetImageRequest()).body.accessibility == "PUBLIC"
    client.remove_image(made, sdk.RemoveImageRequest())
    for call, request in (
        (client.remove_image, sdk.RemoveImageRequest()),
        (client.publish_image, sdk.PublishImageRequest()),
        (client.get_image, sdk.GetImageRequest()),
    ):
        assert refusal(call, made, request).code == "NotFound"


def test_an_id_of_ones_own_makes_an_add_safe_to_repeat(pai: Any) -> None:
    """The second add under the same id, or name, is refused and changes nothing."""
    client = pai.workspace_sdk()
    assert client.add_image(image(image_id=ID)).body.image_id == ID
    for again in (image(image_id=ID, name="other"), image()):
        assert refusal(client.add_image, again).code == "ImageAlreadyExists"
    assert listed(client) == ["torch-v1"]


def test_lists_are_narrowed_and_paged(pai: Any) -> None:
    """By a part of a name, the whole of it, labels that must all be there, the address and who may see it."""
    client = pai.workspace_sdk()
    gpu, dlc = (
        sdk.AddImageRequestLabels(key=key, value=value)
        for key, value in (("system.chipType", "GPU"), ("system.supported.dlc", "true"))
    )
    client.add_image(image(name="torch", labels=[gpu, dlc]))
    pai.clock.advance(1)
    client.add_image(image(name="torch-cpu", image_uri="r.example/a:v1", labels=[dlc], accessibility="PUBLIC"))
    pai.clock.advance(1)
    client.add_image(image(name="jax", labels=[], description="From Torch"))
    assert listed(client) == ["torch", "torch-cpu", "jax"]
    assert listed(client, name="torch") == ["torch", "torch-cpu"]
    assert listed(client, name="torch", options="ExactMatchName") == ["torch"]
    assert listed(client, labels="system.supported.dlc=true") == ["torch", "torch-cpu"]
    assert listed(client, labels="system.supported.dlc=true,system.chipType=GPU") == ["torch"]
    assert listed(client, image_uri="r.example/a:v1") == ["torch-cpu"]
    assert listed(client, accessibility="PUBLIC") == ["torch-cpu"]
    assert listed(client, query="torch") == ["torch", "torch-cpu", "jax"]
    assert listed(client, workspace_id=None) == []
    assert listed(client, page_number=2, page_size=2) == ["jax"]
    assert listed(client, order="DESC", page_size=1) == ["jax"]
    shown = client.list_images(sdk.ListImagesRequest(workspace_id=WORKSPACE, name="jax")).body.images[0]
    assert shown.labels == []
    for query in ({"options": "x"}, {"sort_by": "Name"}, {"page_size": 0}):
        assert refusal(client.list_images, sdk.ListImagesRequest(workspace_id=WORKSPACE, **query)).status_code == 400


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Torch"},
        {"name": "1torch"},
        {"name": "a" * 51},
        {"name": None},
        {"image_uri": None},
        {"image_uri": "torch"},
        {"image_uri": "https://r.example/torch"},
        {"image_id": "image-1"},
        {"accessibility": "ALL"},
        {"source_type": "Push"},
        {"labels": [sdk.AddImageRequestLabels(key="system.official", value="true")]},
        {"labels": [sdk.AddImageRequestLabels(key="a=b", value="c")]},
        {"labels": [sdk.AddImageRequestLabels(key="a", value="x" * 129)]},
    ],
)
def test_what_is_refused(pai: Any, changes: dict[str, Any]) -> None:
    """What the documentation rules out is not accepted, and not half added."""
    client = pai.workspace_sdk()
    assert refusal(client.add_image, image(**changes)).code == "InvalidParameter"
    assert listed(client) == []


def test_another_workspace_is_refused(pai: Any) -> None:
    """An image is of a workspace that exists."""
    assert refusal(pai.workspace_sdk().add_image, image(workspace_id="1")).code == "NotFound"
