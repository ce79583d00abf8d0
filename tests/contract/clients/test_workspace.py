"""AIWorkSpace: our client against the local service."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from junbi.clients.credentials import Credentials
from junbi.clients.signing import Stamp
from junbi.clients.workspace import WorkspaceClient
from junbi.emulator.faults import Fault
from junbi.errors import NotDone, OutcomeUnknown, Refused
from junbi.wire.aiworkspace import CreateDatasetRequest, CreateDatasetVersionRequest


def stamp() -> Stamp:
    """A fresh one."""
    return Stamp.fresh(datetime.now(UTC))


def dataset(name: str, workspace: str, source: str = "sha256:1") -> CreateDatasetRequest:
    """A dataset to create."""
    return CreateDatasetRequest(
        name=name,
        property="DIRECTORY",
        data_source_type="OSS",
        uri="oss://vision-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/v1/",
        workspace_id=workspace,
        source_type="USER",
        source_id=source,
    )


def version(source: str) -> CreateDatasetVersionRequest:
    """A version to create."""
    uri = "oss://vision-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/next/"
    return CreateDatasetVersionRequest(
        property="DIRECTORY", data_source_type="OSS", uri=uri, source_type="USER", source_id=source
    )


class TestWorkspace:
    """Workspaces."""

    def test_it_is_found_or_refused(self, cloud: Any) -> None:
        """A workspace is read by its id; one that is not there is a refusal with the service's text."""
        assert cloud.workspaces.get_workspace(cloud.workspace).workspace_id == cloud.workspace
        with pytest.raises(Refused) as caught:
            cloud.workspaces.get_workspace("999")
        assert caught.value.status in (403, 404)
        assert caught.value.request_id


class TestDatasets:
    """Datasets and their versions."""

    def test_a_dataset_is_created_and_found_by_its_exact_name(self, cloud: Any) -> None:
        """The service's search is fuzzy and paged; ours is neither."""
        client = cloud.workspaces
        for number in range(103):
            client.create_dataset(dataset(f"digits-{number}", cloud.workspace), stamp())
        made = client.create_dataset(dataset("digits", cloud.workspace), stamp())
        client.create_dataset(dataset("数字", cloud.workspace), stamp())
        found = client.find_dataset(cloud.workspace, "digits")
        assert (found.dataset_id, found.name) == (made, "digits")
        assert client.find_dataset(cloud.workspace, "数字").name == "数字"
        assert client.find_dataset(cloud.workspace, "digit") is None
        assert client.get_dataset(made).latest_version.version_name == "v1"

    def test_versions_are_recognised_by_their_source(self, cloud: Any) -> None:
        """The first revision is the dataset's own v1; each later one is found by its digest."""
        client = cloud.workspaces
        made = client.create_dataset(dataset("digits", cloud.workspace, "sha256:1"), stamp())
        first, next_one = dataset("digits", cloud.workspace).uri, version("sha256:2").uri
        assert client.find_version(made, "sha256:1", first).version_name == "v1"
        assert client.find_version(made, "sha256:2", next_one) is None
        assert client.create_version(made, version("sha256:2"), stamp()) == "v2"
        assert client.find_version(made, "sha256:2", next_one).version_name == "v2"
        assert client.find_version(made, "sha256:", next_one) is None

    def test_the_same_members_in_another_place_are_another_version(self, cloud: Any) -> None:
        """Bucket and path must be the same as well; by which endpoint the service names them says nothing."""
        client = cloud.workspaces
        made = client.create_dataset(dataset("digits", cloud.workspace, "sha256:1"), stamp())
        elsewhere = "oss://other-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/v1/"
        assert client.find_version(made, "sha256:1", elsewhere) is None
        assert client.find_version(made, "sha256:1", elsewhere.replace("other", "vision") + "more/") is None
        request = version("sha256:1").model_copy(update={"uri": elsewhere})
        assert client.create_version(made, request, stamp()) == "v2"
        outside = elsewhere.replace("-internal", "")
        assert client.find_version(made, "sha256:1", outside).version_name == "v2"
        assert client.find_version(made, "sha256:1", outside.replace("other", "vision")).version_name == "v1"

    def test_a_version_is_read_by_its_name(self, cloud: Any) -> None:
        """It is there with its address, or refused."""
        client = cloud.workspaces
        made = client.create_dataset(dataset("digits", cloud.workspace), stamp())
        assert client.get_version(made, "v1").uri == dataset("digits", cloud.workspace).uri
        with pytest.raises(Refused):
            client.get_version(made, "v2")


class TestExactlyOnce:
    """What makes a create safe."""

    def test_a_stamp_works_once(self, cloud: Any) -> None:
        """A copy with the same stamp is refused by the service, and means: an earlier one arrived."""
        once = stamp()
        cloud.workspaces.create_dataset(dataset("digits", cloud.workspace), once)
        with pytest.raises(OutcomeUnknown, match="SignatureNonceUsed"):
            cloud.workspaces.create_dataset(dataset("digits-2", cloud.workspace), once)
        assert cloud.workspaces.find_dataset(cloud.workspace, "digits-2") is None

    def test_an_old_stamp_does_nothing(self, cloud: Any) -> None:
        """A copy that leaves too late is refused, and is surely not carried out."""
        late = Stamp("n", "2026-01-01T00:00:00Z")
        with pytest.raises(NotDone, match=r"InvalidTimeStamp\.Expired"):
            cloud.workspaces.create_dataset(dataset("digits", cloud.workspace), late)
        assert cloud.workspaces.find_dataset(cloud.workspace, "digits") is None

    @pytest.mark.parametrize("effect", ["close", "error"])
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_a_lost_answer_is_unknown_and_can_be_looked_up(self, cloud: Any, when: Any, effect: Any) -> None:
        """Whether it happened or not, the caller hears the same; the evidence tells."""
        cloud.faults.order(Fault("aiworkspace.CreateDataset", when=when, effect=effect))
        with pytest.raises(OutcomeUnknown):
            cloud.workspaces.create_dataset(dataset("digits", cloud.workspace), stamp())
        found = cloud.workspaces.find_dataset(cloud.workspace, "digits")
        assert (found is not None) == (when == "after")

    def test_reads_outlive_a_fault(self, cloud: Any) -> None:
        """A broken connection and a throttled answer are not seen by a reader."""
        cloud.faults.order(Fault("aiworkspace.GetWorkspace", effect="close"))
        cloud.faults.order(Fault("aiworkspace.GetWorkspace", status=400, code="Throttling.User"))
        assert cloud.workspaces.get_workspace(cloud.workspace).workspace_id == cloud.workspace
        assert cloud.faults.pending() == []


class TestCredentials:
    """Who calls."""

    def test_short_lived_keys_work(self, cloud: Any) -> None:
        """The keys that a function gets per request, token included, sign calls."""
        key = cloud.keys.issue("vision-reconcile")
        client = WorkspaceClient(cloud.api(Credentials(key.key_id, key.secret, key.token)))
        assert client.get_workspace(cloud.workspace).workspace_id == cloud.workspace

    @pytest.mark.parametrize("keys", [Credentials("emulator", "wrong"), Credentials("nobody", "x")])
    def test_wrong_keys_are_refused(self, cloud: Any, keys: Credentials) -> None:
        """A clear no."""
        with pytest.raises(Refused):
            WorkspaceClient(cloud.api(keys)).get_workspace(cloud.workspace)
