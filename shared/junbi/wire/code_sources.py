"""AIWorkSpace 2021-02-04 as it travels: code sources, which its console calls code builds.

Source: AIWorkSpace SDK 8.3.5, and OpenAPI metadata of 2025-11 for what is required.
"""

from __future__ import annotations

from pydantic import Field

from junbi.wire.model import WireModel


class CodeSourceFields(WireModel):
    """What a code source says, in requests and answers alike.

    Attributes:
        code_commit: wins over ``code_branch``.
        code_repo_access_token: comes back in answers, so that neither is ever logged.
        clone_type: 0 clones into a folder below the mount, 1 into the mount itself.
        mount_path: below ``/root/code/`` where it is absent.
        accessibility: ``PUBLIC`` for everybody in the workspace, or ``PRIVATE``.
    """

    display_name: str | None = None
    description: str | None = None
    code_repo: str | None = None
    code_branch: str | None = None
    code_commit: str | None = None
    code_repo_user_name: str | None = None
    code_repo_access_token: str | None = Field(default=None, repr=False)
    clone_type: int | None = None
    mount_path: str | None = None
    accessibility: str | None = None
    workspace_id: str | None = None


class CodeSource(CodeSourceFields):
    """A code source as it is listed; ``GmtModifyTime`` is spelled so here alone."""

    code_source_id: str | None = None
    user_id: str | None = None
    gmt_create_time: str | None = None
    gmt_modify_time: str | None = None


class GetCodeSourceResponse(CodeSource):
    """GetCodeSource's answer."""

    request_id: str | None = None


class CodeSourceIdResponse(WireModel):
    """The answer of CreateCodeSource, UpdateCodeSource, PublishCodeSource and DeleteCodeSource."""

    code_source_id: str | None = None
    request_id: str | None = None


class ListCodeSourcesRequest(WireModel):
    """ListCodeSources' query; ``DisplayName`` finds parts of names too."""

    workspace_id: str | None = None
    display_name: str | None = None
    sort_by: str | None = None
    order: str | None = None
    page_number: int | None = None
    page_size: int | None = None


class ListCodeSourcesResponse(WireModel):
    """ListCodeSources' answer."""

    code_sources: list[CodeSource] = Field(default_factory=list)
    total_count: int = 0
    request_id: str | None = None
