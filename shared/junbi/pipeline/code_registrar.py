"""Registers watched code as one code source in AIWorkSpace; the commit is pinned in each job, not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import refusals
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.pipeline.registrar import Create, Found
from junbi.pipeline.secrets import secret
from junbi.wire.code_sources import CodeSourceFields

if TYPE_CHECKING:
    from junbi.core.facts import Registration, Revision
    from junbi.core.plan import CodeSpec
    from junbi.ledger.generations import Scope
    from junbi.pipeline.wiring import Ports
    from junbi.wire.code_sources import CodeSource

#: The mount is the repository's own root: no folder of the repository's name is made below it.
_FLAT = 1


def find(ports: Ports, scope: Scope, revision: Revision, known_id: str) -> Found | Reason:
    """The code source of a line, brought to what the line says: address, credential, seen by the workspace."""
    client, line = ports.code_sources_in(scope.region), ports.ledger.code_lines.get(revision.dataset)
    if line is None:
        return Reason(
            Code.PLAN_REMOVED, f"{revision.dataset} is no longer declared under 'code'.", wakes="the next apply"
        )
    if known_id:
        there = client.get(known_id)
    else:
        listed = client.find(scope.workspace, _name(scope, line))
        if listed is None:
            return Found()
        if listed.description != _description(scope):
            return _name_taken(listed.display_name or "")
        there = client.get(listed.code_source_id or "")
    code_source_id = known_id or there.code_source_id or ""
    if not _says(there, line):
        client.update(code_source_id, _wanted(line))
    if there.accessibility != "PUBLIC":
        client.publish(code_source_id)
    return Found(code_source_id, revision.digest)


def create(ports: Ports, revision: Revision, known_id: str) -> Create:  # noqa: ARG001 - there is one create
    """CreateCodeSource, without the token: what is sent is kept in the ledger, and no secret ever is."""
    line = ports.ledger.code_lines.get(revision.dataset)
    request = CodeSourceFields(
        display_name=f"{ports.scope.deployment}-{revision.dataset}",
        description=_description(ports.scope),
        code_repo=line.repository if line else "",
        clone_type=_FLAT,
        mount_path=line.mount if line else None,
        accessibility="PUBLIC",
        workspace_id=ports.scope.workspace,
    )
    client = ports.code_sources_in(ports.scope.region)
    return Create("CreateCodeSource", request, lambda stamp: client.create(request, stamp))


def created(operation: str, made: str, revision: Revision, known_id: str) -> Found:  # noqa: ARG001 - there is one create
    """The id alone: the next look gives it its token, and only then may a job use it."""
    return Found(made)


def is_gone(operation: str, code: str) -> bool:
    """Whether the code source that is known was deleted."""
    return operation == "GetCodeSource" and code in refusals.DATASET_GONE


def told(revision: Revision, registration: Registration) -> tuple[str, str]:
    """Which code source it is."""
    said = f"{revision.dataset} is code source {registration.dataset_id}; jobs check out {revision.digest[:12]}."
    return "CodeRegistered", said


def _wanted(line: CodeSpec) -> CodeSourceFields:
    user, token = _credential(line)
    return CodeSourceFields(code_repo=line.repository, code_repo_user_name=user, code_repo_access_token=token)


def _says(there: CodeSource, line: CodeSpec) -> bool:
    user, token = _credential(line)
    said = (there.code_repo, there.code_repo_user_name or "", there.code_repo_access_token or "")
    return said == (line.repository, user, token)


def _credential(line: CodeSpec) -> tuple[str, str]:
    """User and token of a secret ``user:token``, or of a token alone; both empty for a public repository."""
    user, colon, token = secret(line.credentials).partition(":")
    return (user, token) if colon else ("oauth2" if user else "", user)


def _name(scope: Scope, line: CodeSpec) -> str:
    return f"{scope.deployment}-{line.name}"


def _description(scope: Scope) -> str:
    """What tells ours from somebody else's: a code source has no labels."""
    return f"Registered by junbi for {scope.deployment}."


def _name_taken(taken: str) -> Reason:
    return Reason(
        Code.PLATFORM_REFUSED,
        f"The workspace has a code source named {taken} that junbi did not make.",
        fix="Rename that code source, or the entry in junbi.yaml; then run 'junbi apply'.",
    )
