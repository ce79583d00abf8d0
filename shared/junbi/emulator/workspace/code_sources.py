"""The code sources of the emulated workspace, kept in Records, and the operations on them."""

from __future__ import annotations

import secrets
import string
from typing import TYPE_CHECKING

from junbi.emulator.api_error import invalid, not_found
from junbi.emulator.paging import page
from junbi.emulator.route import Call, Evidence, Route
from junbi.emulator.workspace.account import timestamp
from junbi.emulator.workspace.listing import ordered
from junbi.wire import code_sources as wire
from junbi.wire import operations

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.emulator.records import Records
    from junbi.emulator.workspace.state import WorkspaceState

_KIND = "code-source"
_ALPHABET = string.ascii_lowercase + string.digits
_ORDERS = {
    "GmtCreateTime": "gmt_create_time",
    "GmtModifyTime": "gmt_modify_time",
    "DisplayName": "display_name",
    "CodeSourceId": "code_source_id",
}


class CodeSources:
    """Creates, changes and reads code sources; each change is durable when it returns. Names may repeat (assumed)."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def create(self, request: wire.CodeSourceFields, workspace_id: str, user: str, now: datetime) -> str:
        """Create one; its id."""
        if not (request.display_name or "").strip():
            raise invalid("DisplayName is mandatory for this action.")
        _check(request)
        code_source_id = "code-" + "".join(secrets.choice(_ALPHABET) for _ in range(14))
        document = {
            "Accessibility": "PRIVATE",
            "CloneType": 0,
            **request.to_wire(),
            "WorkspaceId": workspace_id,
            "CodeSourceId": code_source_id,
            "UserId": user,
            "GmtCreateTime": timestamp(now),
            "GmtModifyTime": timestamp(now),
        }
        self._records.add(_KIND, code_source_id, document)
        return code_source_id

    def get(self, code_source_id: str) -> wire.CodeSource:
        """One by its id. ApiError NotFound where there is none."""
        document = self._records.get(_KIND, code_source_id)
        if document is None:
            raise not_found(f"Code source {code_source_id}")
        return wire.CodeSource.from_wire(document)

    def all(self) -> list[wire.CodeSource]:
        """Every code source."""
        return [wire.CodeSource.from_wire(document) for document in self._records.all(_KIND)]

    def update(self, code_source_id: str, request: wire.CodeSourceFields, now: datetime) -> None:
        """Change what the request names; workspace and accessibility are not to be changed this way."""
        _check(request)
        changes = {name: value for name, value in request.to_wire().items() if name not in _FIXED}
        self._change(code_source_id, changes, now)

    def publish(self, code_source_id: str, now: datetime) -> None:
        """Show it to everybody in the workspace."""
        self._change(code_source_id, {"Accessibility": "PUBLIC"}, now)

    def delete(self, code_source_id: str) -> None:
        """Delete one. ApiError NotFound where there is none."""
        self.get(code_source_id)
        self._records.delete(_KIND, code_source_id)

    def _change(self, code_source_id: str, changes: dict[str, object], now: datetime) -> None:
        with self._records.transaction():
            document = self.get(code_source_id).to_wire()
            self._records.put(_KIND, code_source_id, {**document, **changes, "GmtModifyTime": timestamp(now)})


_FIXED = frozenset({"WorkspaceId", "Accessibility", "CodeSourceId"})


def _check(request: wire.CodeSourceFields) -> None:
    if request.code_repo is not None and not request.code_repo.startswith(("https://", "http://")):
        raise invalid(f"CodeRepo {request.code_repo!r} is not an http address.")
    if request.clone_type not in {None, 0, 1}:
        raise invalid("CloneType is 0 or 1.")
    if request.accessibility not in {None, "PUBLIC", "PRIVATE"}:
        raise invalid("Accessibility is PUBLIC or PRIVATE.")


def create_code_source(state: WorkspaceState, call: Call) -> wire.CodeSourceIdResponse:
    """CreateCodeSource."""
    request = call.body_as(wire.CodeSourceFields)
    workspace_id = state.workspaces.resolve(request.workspace_id)
    made = state.code_sources.create(request, workspace_id, call.user_id, call.now)
    return wire.CodeSourceIdResponse(code_source_id=made)


def get_code_source(state: WorkspaceState, call: Call) -> wire.GetCodeSourceResponse:
    """GetCodeSource."""
    return wire.GetCodeSourceResponse.from_wire(state.code_sources.get(call.segments["CodeSourceId"]).to_wire())


def list_code_sources(state: WorkspaceState, call: Call) -> wire.ListCodeSourcesResponse:
    """ListCodeSources."""
    query = call.query_as(wire.ListCodeSourcesRequest)
    workspace_id = query.workspace_id or state.workspaces.default_id
    part = (query.display_name or "").lower()
    found = [
        one
        for one in state.code_sources.all()
        if one.workspace_id == workspace_id and part in (one.display_name or "").lower()
    ]
    found = ordered(found, _ORDERS, query.sort_by, query.order)
    shown = page(found, query.page_number, query.page_size, default=20)
    return wire.ListCodeSourcesResponse(code_sources=shown, total_count=len(found))


def update_code_source(state: WorkspaceState, call: Call) -> wire.CodeSourceIdResponse:
    """UpdateCodeSource."""
    code_source_id = call.segments["CodeSourceId"]
    state.code_sources.update(code_source_id, call.body_as(wire.CodeSourceFields), call.now)
    return wire.CodeSourceIdResponse(code_source_id=code_source_id)


def publish_code_source(state: WorkspaceState, call: Call) -> wire.CodeSourceIdResponse:
    """PublishCodeSource."""
    code_source_id = call.segments["CodeSourceId"]
    state.code_sources.publish(code_source_id, call.now)
    return wire.CodeSourceIdResponse(code_source_id=code_source_id)


def delete_code_source(state: WorkspaceState, call: Call) -> wire.CodeSourceIdResponse:
    """DeleteCodeSource."""
    code_source_id = call.segments["CodeSourceId"]
    state.code_sources.delete(code_source_id)
    return wire.CodeSourceIdResponse(code_source_id=code_source_id)


ROUTES: tuple[Route[WorkspaceState], ...] = (
    Route(
        operations.CREATE_CODE_SOURCE,
        Evidence.METADATA,
        create_code_source,
        "That names may repeat, and that PRIVATE is the default, are assumed.",
    ),
    Route(operations.GET_CODE_SOURCE, Evidence.METADATA, get_code_source, "The status of NotFound (404) is assumed."),
    Route(operations.LIST_CODE_SOURCES, Evidence.METADATA, list_code_sources, "The largest page size is assumed."),
    Route(operations.UPDATE_CODE_SOURCE, Evidence.METADATA, update_code_source),
    Route(operations.PUBLISH_CODE_SOURCE, Evidence.METADATA, publish_code_source),
    Route(operations.DELETE_CODE_SOURCE, Evidence.METADATA, delete_code_source),
)
