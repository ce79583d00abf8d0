"""Code sources, through the unmodified official SDK."""

from __future__ import annotations

import re
from typing import Any

import pytest
from alibabacloud_aiworkspace20210204 import models as sdk
from alibabacloud_tea_openapi.exceptions import ClientException

WORKSPACE = "104231"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def source(**changes: Any) -> sdk.CreateCodeSourceRequest:
    """A request that is accepted unless a member is changed."""
    members = {
        "display_name": "trainer",
        "code_repo": "https://git.example/vision/trainer.git",
        "code_branch": "main",
        "code_repo_user_name": "robot",
        "code_repo_access_token": "hunter2",
        "mount_path": "/root/code",
        "workspace_id": WORKSPACE,
    }
    return sdk.CreateCodeSourceRequest(**{**members, **changes})


def refusal(call: Any, *arguments: Any) -> ClientException:
    """The refusal of a call that must be refused."""
    with pytest.raises(ClientException) as caught:
        call(*arguments)
    return caught.value


def get(client: Any, made: str) -> dict[str, Any]:
    """What GetCodeSource answers."""
    return dict(client.get_code_source(made, sdk.GetCodeSourceRequest()).body.to_map())


def test_a_code_source_is_read_back_with_its_token(pai: Any) -> None:
    """Everything that was sent, the token too; it is private until it is published, and outlives a restart."""
    made = pai.workspace_sdk().create_code_source(source()).body.code_source_id
    pai.restart()
    client = pai.workspace_sdk()
    found = get(client, made)
    assert (found["DisplayName"], found["CodeRepoAccessToken"], found["CloneType"]) == ("trainer", "hunter2", 0)
    assert (found["Accessibility"], found["WorkspaceId"], found["CodeSourceId"]) == ("PRIVATE", WORKSPACE, made)
    assert TIME.fullmatch(found["GmtCreateTime"])
    assert TIME.fullmatch(found["GmtModifyTime"])
    assert client.publish_code_source(made, sdk.PublishCodeSourceRequest()).body.code_source_id == made
    assert get(client, made)["Accessibility"] == "PUBLIC"


def test_an_update_changes_what_it_names(pai: Any) -> None:
    """And the time of the change; nothing else."""
    client = pai.workspace_sdk()
    made = client.create_code_source(source()).body.code_source_id
    before = get(client, made)
    pai.clock.advance(60)
    client.update_code_source(
        made, sdk.UpdateCodeSourceRequest(code_repo_access_token="hunter3", code_commit="ab" * 20)
    )
    after = get(client, made)
    assert after["GmtModifyTime"] > before["GmtModifyTime"]
    changed = {name for name in after if after[name] != before.get(name)} - {"RequestId"}
    assert changed == {"CodeRepoAccessToken", "CodeCommit", "GmtModifyTime"}


def test_lists_find_parts_of_names_and_are_paged(pai: Any) -> None:
    """Twenty to a page unless more are asked for; in the order asked for."""
    client = pai.workspace_sdk()
    for number in range(21):
        client.create_code_source(source(display_name=f"Trainer-{number:02}"))
    client.create_code_source(source(display_name="other"))

    def listed(**query: Any) -> tuple[list[str], int]:
        request = sdk.ListCodeSourcesRequest(**{"workspace_id": WORKSPACE, "sort_by": "DisplayName", **query})
        body = client.list_code_sources(request).body
        return [one.display_name for one in body.code_sources], body.total_count

    names, total = listed(display_name="trainer", order="ASC")
    assert (len(names), names[0], total) == (20, "Trainer-00", 21)
    assert listed(display_name="trainer", order="ASC", page_number=2)[0] == ["Trainer-20"]
    assert listed(page_size=1)[0] == ["other"]
    assert listed(display_name="nothing") == ([], 0)
    for query in ({"sort_by": "UserId"}, {"order": "up"}, {"page_size": 101}, {"page_number": 0}):
        assert refusal(listed_request(client), query).code == "InvalidParameter"


def listed_request(client: Any) -> Any:
    """A call of ListCodeSources with a query."""
    return lambda query: client.list_code_sources(sdk.ListCodeSourcesRequest(workspace_id=WORKSPACE, **query))


def test_a_deleted_one_is_gone(pai: Any) -> None:
    """Nothing can be done with it any more, and a job that names it is refused."""
    client = pai.workspace_sdk()
    made = client.create_code_source(source()).body.code_source_id
    assert pai.create_job(CodeSource={"CodeSourceId": made})[0] == 200
    client.delete_code_source(made, sdk.DeleteCodeSourceRequest())
    for call, request in (
        (client.get_code_source, sdk.GetCodeSourceRequest()),
        (client.publish_code_source, sdk.PublishCodeSourceRequest()),
        (client.update_code_source, sdk.UpdateCodeSourceRequest()),
        (client.delete_code_source, sdk.DeleteCodeSourceRequest()),
    ):
        assert refusal(call, made, request).code == "NotFound"
    status, answer = pai.create_job(CodeSource={"CodeSourceId": made})
    assert (status, answer["Code"]) == (404, "NotFound")


@pytest.mark.parametrize(
    "changes",
    [
        {"display_name": None},
        {"display_name": " "},
        {"code_repo": "git@git.example:a.git"},
        {"code_repo": "file:///etc"},
        {"clone_type": 2},
        {"accessibility": "ALL"},
    ],
)
def test_what_is_refused(pai: Any, changes: dict[str, Any]) -> None:
    """What could not be checked out, and what the documentation rules out."""
    client = pai.workspace_sdk()
    assert refusal(client.create_code_source, source(**changes)).code == "InvalidParameter"
    assert client.list_code_sources(sdk.ListCodeSourcesRequest(workspace_id=WORKSPACE)).body.total_count == 0
