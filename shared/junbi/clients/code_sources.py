"""AIWorkSpace's code sources: what jobs check their code out of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.clients.api import required
from junbi.clients.paging import SIZE, every_row
from junbi.wire import code_sources as wire
from junbi.wire import operations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.clients.api import Api
    from junbi.clients.signing import Stamp


class CodeSourcesClient:
    """Raises the errors of ``Api.call``. Creates are sent once, signed with the given stamp."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def find(self, workspace: str, name: str) -> wire.CodeSource | None:
        """The code source of exactly this name; the oldest where names are not unique, None where there is none."""

        def fetch(number: int) -> tuple[Sequence[wire.CodeSource], int]:
            query = wire.ListCodeSourcesRequest(
                workspace_id=workspace, display_name=name, page_number=number, page_size=SIZE
            )
            answer = self._api.call(operations.LIST_CODE_SOURCES, wire.ListCodeSourcesResponse, query=query)
            return answer.code_sources, answer.total_count

        rows = every_row("ListCodeSources", fetch, key=lambda one: one.code_source_id)
        found = (one for one in rows if one.display_name == name)
        return min(found, key=lambda one: one.gmt_create_time or "", default=None)

    def get(self, code_source_id: str) -> wire.CodeSource:
        """A code source by its id, with its token."""
        segments = {"CodeSourceId": code_source_id}
        return self._api.call(operations.GET_CODE_SOURCE, wire.GetCodeSourceResponse, segments=segments)

    def create(self, request: wire.CodeSourceFields, stamp: Stamp) -> str:
        """Create a code source; gives its id."""
        operation = operations.CREATE_CODE_SOURCE
        answer = self._api.call(operation, wire.CodeSourceIdResponse, body=request, stamp=stamp)
        return required(operation, "CodeSourceId", answer.code_source_id)

    def update(self, code_source_id: str, request: wire.CodeSourceFields) -> None:
        """Change what the request names; sent again it changes nothing more."""
        segments = {"CodeSourceId": code_source_id}
        self._api.call(operations.UPDATE_CODE_SOURCE, wire.CodeSourceIdResponse, segments=segments, body=request)

    def publish(self, code_source_id: str) -> None:
        """Show a code source to everybody in the workspace."""
        segments = {"CodeSourceId": code_source_id}
        self._api.call(operations.PUBLISH_CODE_SOURCE, wire.CodeSourceIdResponse, segments=segments)
