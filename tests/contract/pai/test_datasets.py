"""Workspaces, datasets and versions, through the unmodified official SDK."""

from __future__ import annotations

import re
from typing import Any

import pytest
from alibabacloud_aiworkspace20210204 import models as sdk
from alibabacloud_tea_openapi.exceptions import ClientException

WORKSPACE = "104231"
URI = "oss://vision-data.oss-cn-hangzhou-internal.aliyuncs.com/digits/v1/"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def dataset(**changes: Any) -> sdk.CreateDatasetRequest:
    """A request that is accepted unless a member is changed."""
    members = {
        "name": "digits",
        "property": "DIRECTORY",
        "data_source_type": "OSS",
        "uri": URI,
        "workspace_id": WORKSPACE,
        "source_type": "USER",
        "source_id": "digest-1",
        "options": '{"mountPath":"/mnt/digits"}',
        "labels": [sdk.Label(key="team", value="vision")],
        "version_labels": [sdk.Label(key="junbi.version", value="2026-11-30")],
    }
    return sdk.CreateDatasetRequest(**{**members, **changes})


def version(**changes: Any) -> sdk.CreateDatasetVersionRequest:
    """A request that is accepted unless a member is changed."""
    members = {"property": "DIRECTORY", "data_source_type": "OSS", "uri": URI.replace("v1", "v2")}
    return sdk.CreateDatasetVersionRequest(**{**members, **changes})


def refusal(call: Any, *arguments: Any) -> ClientException:
    """The refusal of a call that must be refused."""
    with pytest.raises(ClientException) as caught:
        call(*arguments)
    return caught.value


class TestWorkspaces:
    """GetWorkspace and ListWorkspaces."""

    def test_the_workspace_is_there(self, pai: Any) -> None:
        """It is enabled, the default, and found in the list."""
        client = pai.workspace_sdk()
        found = client.get_workspace(WORKSPACE, sdk.GetWorkspaceRequest()).body.to_map()
        assert (found["WorkspaceId"], found["Status"], found["IsDefault"]) == (WORKSPACE, "ENABLED", True)
        assert "Owner" not in found
        assert "ResourceGroupId" in found
        listed = client.list_workspaces(sdk.ListWorkspacesRequest(status="ENABLED")).body.to_map()
        assert (listed["TotalCount"], listed["Workspaces"][0]["WorkspaceId"]) == (1, WORKSPACE)
        assert "resourceGroupId" in listed["Workspaces"][0]

    def test_the_owner_is_told_where_asked(self, pai: Any) -> None:
        """Verbose, which the SDK writes as True, adds the owner."""
        found = pai.workspace_sdk().get_workspace(WORKSPACE, sdk.GetWorkspaceRequest(verbose=True)).body
        assert found.owner.user_id

    def test_it_is_as_old_after_a_restart(self, pai: Any) -> None:
        """The date of its creation is kept."""
        created = pai.workspace_sdk().get_workspace(WORKSPACE, sdk.GetWorkspaceRequest()).body.gmt_create_time
        assert TIME.fullmatch(created)
        pai.clock.advance(3600)
        pai.restart()
        found = pai.workspace_sdk().get_workspace(WORKSPACE, sdk.GetWorkspaceRequest()).body
        assert found.gmt_create_time == created

    def test_another_workspace_is_not(self, pai: Any) -> None:
        """An unknown id is NotFound."""
        error = refusal(pai.workspace_sdk().get_workspace, "7", sdk.GetWorkspaceRequest())
        assert (error.code, error.status_code) == ("NotFound", 404)
        assert error.request_id

    def test_filters_can_find_nothing(self, pai: Any) -> None:
        """Ids and status are heeded."""
        client = pai.workspace_sdk()
        for query in ({"status": "DISABLED"}, {"workspace_ids": "1,2"}, {"workspace_name": "speech"}):
            assert client.list_workspaces(sdk.ListWorkspacesRequest(**query)).body.total_count == 0


class TestCreateDataset:
    """CreateDataset and GetDataset."""

    def test_it_makes_version_v1(self, pai: Any) -> None:
        """The dataset shows what was sent; its first version has the Uri, SourceId and version labels."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        assert re.fullmatch(r"d-[a-z0-9]{18}", dataset_id)
        found = client.get_dataset(dataset_id, sdk.GetDatasetRequest()).body.to_map()
        assert (found["Name"], found["Uri"], found["SourceId"]) == ("digits", URI, "digest-1")
        assert (found["Accessibility"], found["DataType"], found["MountAccess"]) == ("PRIVATE", "COMMON", "RW")
        assert found["Labels"] == [{"Key": "team", "Value": "vision"}]
        assert TIME.fullmatch(found["GmtCreateTime"])
        latest = found["LatestVersion"]
        assert (latest["VersionName"], latest["Uri"], latest["SourceId"]) == ("v1", URI, "digest-1")
        assert latest["Labels"] == [{"Key": "junbi.version", "Value": "2026-11-30"}]

    def test_it_survives_a_restart(self, pai: Any) -> None:
        """What was answered is on disk."""
        dataset_id = pai.workspace_sdk().create_dataset(dataset()).body.dataset_id
        pai.restart()
        assert pai.workspace_sdk().get_dataset(dataset_id, sdk.GetDatasetRequest()).body.name == "digits"

    def test_the_default_workspace_is_fallen_back_to(self, pai: Any) -> None:
        """Without a workspace PAI takes the caller's default one, silently."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset(workspace_id=None)).body.dataset_id
        assert client.get_dataset(dataset_id, sdk.GetDatasetRequest()).body.workspace_id == WORKSPACE

    def test_a_dry_run_makes_nothing(self, pai: Any) -> None:
        """It is checked, and not kept."""
        client = pai.workspace_sdk()
        assert client.create_dataset(dataset(dry_run=True)).body.dataset_id is None
        assert client.list_datasets(sdk.ListDatasetsRequest()).body.total_count == 0

    @pytest.mark.parametrize(
        ("changes", "code", "message"),
        [
            ({"name": None}, "MissingName", "Name"),
            ({"uri": None}, "MissingUri", "Uri"),
            ({"name": "-digits"}, "InvalidParameter", "Name"),
            ({"name": "a" * 128}, "InvalidParameter", "127"),
            ({"name": "a b"}, "InvalidParameter", "Name"),
            ({"uri": URI[:-1]}, "InvalidParameter", "not DIRECTORY"),
            ({"uri": "oss://vision-data/digits/"}, "InvalidParameter", "Uri format error"),
            ({"uri": "nas://fs.cn-hangzhou/a/", "data_source_type": "CPFS"}, "InvalidParameter", "Uri format error"),
            ({"data_source_type": "FTP"}, "InvalidParameter", "DataSourceType"),
            ({"property": "FOLDER"}, "InvalidParameter", "Property"),
            ({"options": "mountPath=/mnt"}, "InvalidParameter", "Options"),
            ({"provider": "pai"}, "InvalidParameter", "Provider"),
            ({"workspace_id": "7"}, "NotFound", "Workspace 7"),
        ],
    )
    def test_what_is_refused(self, pai: Any, changes: dict[str, Any], code: str, message: str) -> None:
        """A request that breaks one rule is refused, says which, and leaves nothing behind."""
        client = pai.workspace_sdk()
        error = refusal(client.create_dataset, dataset(**changes))
        assert error.code == code
        assert message in error.message
        assert client.list_datasets(sdk.ListDatasetsRequest()).body.total_count == 0

    @pytest.mark.parametrize("name", ["数据集-1", "0", "a" * 127, "a_b-c"], ids=range(4))
    def test_names_that_are_allowed(self, pai: Any, name: str) -> None:
        """Chinese characters, a leading digit and 127 characters are fine."""
        assert pai.workspace_sdk().create_dataset(dataset(name=name)).body.dataset_id


class TestVersions:
    """CreateDatasetVersion, ListDatasetVersions and GetDatasetVersion."""

    def test_the_first_made_is_v2(self, pai: Any) -> None:
        """The top level keeps showing v1; LatestVersion shows the newest."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        assert client.create_dataset_version(dataset_id, version(source_id="digest-2")).body.version_name == "v2"
        found = client.get_dataset(dataset_id, sdk.GetDatasetRequest()).body
        assert (found.uri, found.source_id) == (URI, "digest-1")
        assert (found.latest_version.version_name, found.latest_version.source_id) == ("v2", "digest-2")
        second = client.get_dataset_version(dataset_id, "v2", sdk.GetDatasetVersionRequest()).body.to_map()
        assert (second["DatasetId"], second["Uri"]) == (dataset_id, URI.replace("v1", "v2"))
        assert second["SourceType"] == "USER"

    def test_more_than_nine_keep_their_order(self, pai: Any) -> None:
        """v10 is newer than v9."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        names = [client.create_dataset_version(dataset_id, version()).body.version_name for _ in range(10)]
        assert names == [f"v{number}" for number in range(2, 12)]
        assert client.get_dataset(dataset_id, sdk.GetDatasetRequest()).body.latest_version.version_name == "v11"

    def test_the_kind_of_storage_is_the_datasets(self, pai: Any) -> None:
        """Another DataSourceType than the dataset's is refused."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        other = version(data_source_type="NAS", uri="nas://fs.cn-hangzhou/a/")
        assert "DataSourceType not match" in refusal(client.create_dataset_version, dataset_id, other).message

    def test_unknown_ones_are_not_found(self, pai: Any) -> None:
        """Neither a version of no dataset nor a version that was not made."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        for name in ("v2", "v0", "1", "latest"):
            assert (
                refusal(client.get_dataset_version, dataset_id, name, sdk.GetDatasetVersionRequest()).code == "NotFound"
            )
        assert refusal(client.create_dataset_version, "d-none", version()).code == "NotFound"
        page = sdk.ListDatasetVersionsRequest(page_number=1, page_size=10)
        assert refusal(client.list_dataset_versions, "d-none", page).code == "NotFound"

    def test_pages_must_be_asked_for(self, pai: Any) -> None:
        """Without PageNumber the real service answers MissingPageNumber, and so do we."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        error = refusal(client.list_dataset_versions, dataset_id, sdk.ListDatasetVersionsRequest(page_size=10))
        assert (error.code, error.status_code) == ("MissingPageNumber", 400)

    def test_pages_and_filters(self, pai: Any) -> None:
        """Newest first, in pages, by SourceId and by label."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        for number in (2, 3, 4):
            pai.clock.advance(1)
            labels = [sdk.Label(key="digest", value=f"d{number}")]
            client.create_dataset_version(dataset_id, version(source_id=f"digest-{number}", labels=labels))

        def names(**query: Any) -> list[str]:
            request = sdk.ListDatasetVersionsRequest(**{"page_number": 1, "page_size": 10, **query})
            return [
                found.version_name for found in client.list_dataset_versions(dataset_id, request).body.dataset_versions
            ]

        assert names() == ["v4", "v3", "v2", "v1"]
        assert names(order="ASC") == ["v1", "v2", "v3", "v4"]
        assert names(page_number=2, page_size=3) == ["v1"]
        assert names(source_id="digest-3") == ["v3"]
        assert names(label_keys="digest", label_values="d2,d4") == ["v4", "v2"]
        assert names(label_keys="junbi.version") == ["v1"]
        answer = client.list_dataset_versions(dataset_id, sdk.ListDatasetVersionsRequest(page_number=2, page_size=3))
        told = answer.body.to_map()
        assert (told["PageNumber"], told["PageSize"], told["TotalCount"]) == (2, 3, 4)


class TestListDatasets:
    """ListDatasets."""

    def test_filters(self, pai: Any) -> None:
        """Part of a name, part of a label, ids, kinds and SourceId narrow the list; odd characters are no trouble."""
        client = pai.workspace_sdk()
        first = client.create_dataset(dataset()).body.dataset_id
        pai.clock.advance(1)
        second = client.create_dataset(
            dataset(name="faces", source_id="a+b c/~*", labels=[], property="FILE", uri=f"{URI}x.csv")
        ).body.dataset_id

        def ids(**query: Any) -> list[str]:
            listed = client.list_datasets(sdk.ListDatasetsRequest(workspace_id=WORKSPACE, **query)).body
            assert listed.total_count == len(listed.datasets)
            return [found.dataset_id for found in listed.datasets]

        assert ids() == [second, first]
        assert ids(name="IGI") == [first]
        assert ids(label="isio") == [first]
        assert ids(dataset_ids=f"{second},d-none") == [second]
        assert ids(properties="FILE,TABULAR") == [second]
        assert ids(source_id="a+b c/~*") == [second]
        assert ids(data_source_types="NAS") == []
        assert ids(provider="pai") == []
        assert ids(sort_by="Name", order="ASC") == [first, second]

    def test_ten_to_a_page(self, pai: Any) -> None:
        """The page size is 10 where none is asked for; the count is of all."""
        client = pai.workspace_sdk()
        for number in range(11):
            client.create_dataset(dataset(name=f"set-{number}"))
        listed = client.list_datasets(sdk.ListDatasetsRequest()).body
        assert (len(listed.datasets), listed.total_count) == (10, 11)
        rest = client.list_datasets(sdk.ListDatasetsRequest(page_number=2)).body
        assert len(rest.datasets) == 1

    def test_impossible_pages_are_refused(self, pai: Any) -> None:
        """Page 0, and a page of 101."""
        client = pai.workspace_sdk()
        for query in ({"page_number": 0}, {"page_size": 101}, {"page_size": 0}):
            assert refusal(client.list_datasets, sdk.ListDatasetsRequest(**query)).code == "InvalidParameter"


class TestChanges:
    """UpdateDataset, PublishDataset and DeleteDataset."""

    def test_update_and_publish(self, pai: Any) -> None:
        """What may change changes; the rest stays, the Uri above all."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        client.update_dataset(dataset_id, sdk.UpdateDatasetRequest(description="d", options='{"mountPath":"/x"}'))
        client.publish_dataset(dataset_id, sdk.PublishDatasetRequest())
        found = client.get_dataset(dataset_id, sdk.GetDatasetRequest()).body
        assert (found.description, found.options, found.accessibility) == ("d", '{"mountPath":"/x"}', "PUBLIC")
        assert (found.name, found.uri) == ("digits", URI)

    def test_delete(self, pai: Any) -> None:
        """A deleted dataset is gone with its versions; deleting it again says so."""
        client = pai.workspace_sdk()
        dataset_id = client.create_dataset(dataset()).body.dataset_id
        client.create_dataset_version(dataset_id, version())
        client.delete_dataset(dataset_id, sdk.DeleteDatasetRequest())
        assert refusal(client.get_dataset, dataset_id, sdk.GetDatasetRequest()).code == "NotFound"
        assert refusal(client.delete_dataset, dataset_id, sdk.DeleteDatasetRequest()).code == "NotFound"
        assert pai.records.all(f"dataset-version:{dataset_id}") == []
