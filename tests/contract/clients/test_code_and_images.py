"""Code sources and images: our clients against the local service."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from junbi.clients.code_sources import CodeSourcesClient
from junbi.clients.images import ImagesClient
from junbi.clients.signing import Stamp
from junbi.emulator.faults import Fault
from junbi.errors import OutcomeUnknown, Refused
from junbi.wire.aiworkspace import Label
from junbi.wire.code_sources import CodeSourceFields
from junbi.wire.images import ImageFields

ID = "image-abcdefghijklmnop12"
URI = f"registry.example/vision/torch@sha256:{'ab' * 32}"


def stamp() -> Stamp:
    """A fresh one."""
    return Stamp.fresh(datetime.now(UTC))


def source(cloud: Any, name: str) -> CodeSourceFields:
    """A code source to create."""
    return CodeSourceFields(
        display_name=name,
        code_repo="https://git.example/vision/trainer.git",
        code_repo_access_token="hunter2",
        workspace_id=cloud.workspace,
    )


class TestCodeSources:
    """What jobs check their code out of."""

    def test_one_is_found_by_its_exact_name_over_all_pages(self, cloud: Any) -> None:
        """The service's search is fuzzy and paged; ours is neither."""
        client = CodeSourcesClient(cloud.api())
        for number in range(101):
            client.create(source(cloud, f"trainer-{number}"), stamp())
        made = client.create(source(cloud, "trainer"), stamp())
        client.create(source(cloud, "数字"), stamp())
        assert client.find(cloud.workspace, "trainer").code_source_id == made
        assert client.find(cloud.workspace, "数字").display_name == "数字"
        assert client.find(cloud.workspace, "train") is None

    def test_it_is_read_changed_and_published(self, cloud: Any) -> None:
        """The token comes back, and is shown by nothing that prints the answer."""
        client = CodeSourcesClient(cloud.api())
        made = client.create(source(cloud, "trainer"), stamp())
        client.update(made, CodeSourceFields(code_branch="main"))
        client.publish(made)
        found = client.get(made)
        assert (found.code_branch, found.accessibility) == ("main", "PUBLIC")
        assert found.code_repo_access_token == "hunter2"
        assert "hunter2" not in f"{found} {found!r} {source(cloud, 'x')!r}"
        with pytest.raises(Refused):
            client.get("code-none")


class TestImages:
    """What a workspace knows of images."""

    def test_one_is_found_by_its_id_and_by_its_exact_name(self, cloud: Any) -> None:
        """With its labels; what is not there is none."""
        client = ImagesClient(cloud.api())
        labels = [Label(key="system.chipType", value="GPU")]
        for name, image_id in (("torch", ID), ("torch-2", None)):
            fields = ImageFields(name=name, image_uri=URI, workspace_id=cloud.workspace, labels=labels)
            made = client.add(fields.model_copy(update={"image_id": image_id}), stamp())
            assert image_id in {None, made}
        assert client.find(ID).image_id == client.find_named(cloud.workspace, "torch").image_id == ID
        assert client.find(ID).labels == client.find_named(cloud.workspace, "torch").labels == labels
        assert client.find("image-" + "z" * 18) is None
        assert client.find_named(cloud.workspace, "tor") is None
        client.publish(ID)
        assert client.find(ID).accessibility == "PUBLIC"

    def test_a_refusal_that_is_about_something_else_is_not_taken_for_none(self, cloud: Any) -> None:
        """An image is absent only where the service says that of the image."""
        client = ImagesClient(cloud.api())
        cloud.faults.order(Fault("aiworkspace.GetImage", status=404, code="InvalidAction.NotFound"))
        with pytest.raises(Refused, match=r"InvalidAction\.NotFound"):
            client.find(ID)

    @pytest.mark.parametrize("when", ["before", "after"])
    def test_a_lost_answer_is_unknown_and_can_be_looked_up(self, cloud: Any, when: Any) -> None:
        """An id of our own tells whether the add happened."""
        client = ImagesClient(cloud.api())
        cloud.faults.order(Fault("aiworkspace.AddImage", when=when, effect="close"))
        with pytest.raises(OutcomeUnknown):
            client.add(ImageFields(name="a", image_uri=URI, workspace_id=cloud.workspace, image_id=ID), stamp())
        assert (client.find(ID) is not None) == (when == "after")
