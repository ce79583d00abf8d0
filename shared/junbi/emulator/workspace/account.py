"""Who calls and where: user ids made of access keys, and the workspaces of the emulated account."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from junbi.emulator.api_error import not_found
from junbi.wire.aiworkspace import GetWorkspaceResponse, WorkspaceItem, WorkspaceOwner

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.emulator.keys import AccessKey
    from junbi.wire.aiworkspace import ListWorkspacesRequest

#: The account itself, which the long-lived key belongs to.
ACCOUNT_ID = "1000000000000001"


def user_id(key: AccessKey) -> str:
    """The numeric id of the key's owner: the account, or the role that a short-lived key was issued to."""
    if not key.token:
        return ACCOUNT_ID
    role = key.key_id.rpartition(".")[0]
    return str(3 * 10**17 + int(hashlib.sha256(role.encode()).hexdigest(), 16) % 10**17)


class Workspaces:
    """The account's workspaces: one, which is also everybody's default.

    Args:
        workspace_id: a number as a string.
        name: 3 to 23 letters, digits and underscores.
        created: UTC.
    """

    def __init__(self, workspace_id: str, name: str, created: datetime) -> None:
        self.default_id = workspace_id
        self._item = WorkspaceItem(
            workspace_id=workspace_id,
            workspace_name=name,
            display_name=name,
            description=f"The workspace {name} of the local cloud",
            status="ENABLED",
            is_default=True,
            env_types=["prod"],
            creator=ACCOUNT_ID,
            admin_names=["root"],
            resource_group_id="rg-acfm00000000001",
            gmt_create_time=timestamp(created),
            gmt_modified_time=timestamp(created),
        )

    def resolve(self, workspace_id: str | None) -> str:
        """An existing workspace's id: the default one where none is named, as PAI falls back. ApiError otherwise."""
        found = workspace_id or self.default_id
        if found != self.default_id:
            raise not_found(f"Workspace {found}")
        return found

    @property
    def name(self) -> str:
        """The workspace's name."""
        return self._item.workspace_name or ""

    def get(self, workspace_id: str, *, verbose: bool) -> GetWorkspaceResponse:
        """GetWorkspace; the owner is told only where asked."""
        self.resolve(workspace_id)
        owner = WorkspaceOwner(user_id=ACCOUNT_ID, user_name="root", display_name="root", user_kp=ACCOUNT_ID)
        return GetWorkspaceResponse(**self._item.model_dump(), owner=owner if verbose else None)

    def matching(self, query: ListWorkspacesRequest) -> list[WorkspaceItem]:
        """Those that match the ids (a comma list), the part of a name and the status."""
        item = self._item
        matches = (
            (not query.workspace_ids or item.workspace_id in query.workspace_ids.split(","))
            and (query.workspace_name or "") in (item.workspace_name or "")
            and query.status in {None, "", item.status}
        )
        return [item] if matches else []


def timestamp(moment: datetime) -> str:
    """As AIWorkSpace writes times: ``2021-01-30T12:51:33.028Z``."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
