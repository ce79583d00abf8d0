"""The emulated AIWorkSpace of one account: its workspace, its datasets, code sources and images."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from junbi.emulator.workspace.account import Workspaces
from junbi.emulator.workspace.code_sources import CodeSources
from junbi.emulator.workspace.datasets import Datasets
from junbi.emulator.workspace.images import Images

if TYPE_CHECKING:
    from junbi.emulator.clock import Clock
    from junbi.emulator.records import Records

DEFAULT_WORKSPACE_ID = "104231"

_KIND = "workspace"


class WorkspaceState:
    """What AIWorkSpace knows.

    Args:
        records: where they are kept.
        clock: for the dates written down.
        workspace_id: of the account's only workspace, which is also everybody's default.
        name: of that workspace.
    """

    def __init__(
        self, records: Records, clock: Clock, *, workspace_id: str = DEFAULT_WORKSPACE_ID, name: str = "vision"
    ) -> None:
        records.add(_KIND, workspace_id, {"Created": clock.now().isoformat()})
        kept = records.get(_KIND, workspace_id) or {}
        self.workspaces = Workspaces(workspace_id, name, datetime.fromisoformat(kept["Created"]))
        self.datasets = Datasets(records)
        self.code_sources = CodeSources(records)
        self.images = Images(records)
