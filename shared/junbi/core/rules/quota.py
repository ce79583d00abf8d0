"""A plan's quota is there, of the declared kind, attached to the workspace, usable, and large enough."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from junbi.core import demand as amounts
from junbi.core.assumptions import USABLE_QUOTA
from junbi.core.model import Check, Reason, State
from junbi.core.quotas import KIND_OF
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.core.demand import Amounts
    from junbi.core.plan import Resource, Workers
    from junbi.core.quotas import Snapshot

_WAKES = "the next reading of PAI's quotas, every minute"


def check(
    resource: Resource, chain: Sequence[Snapshot] | None, problem: str, workspace: str, workers: Workers
) -> Check:
    """Whether the quota could take the job at all; whether it has room now is ``core.admission``'s.

    Args:
        resource: the plan's.
        chain: the quota as it was read last and those it is nested in, itself first; empty where PAI lists no such
            quota, None while its kind was never read as a whole.
        problem: why quotas of its kind could not be read the last time, if they could not.
        workspace: where the job is to run.
        workers: its pods.
    """
    if chain is None:
        return _unread(problem)
    if not chain:
        return _blocked(_missing(resource))
    quota = chain[0]
    if quota.kind != KIND_OF[resource.kind]:
        return _blocked(_kind(resource, quota))
    if workspace not in {str(one.get("WorkspaceId")) for one in quota.declared.get("Workspaces", ())}:
        return _blocked(_attach(resource, quota, workspace))
    for one in chain:
        if (status := one.declared.get("Status")) not in USABLE_QUOTA:
            said = f"Quota {one.full_name} is {status or 'of no status'}, so it takes no jobs now."
            return Check("resource", State.RETRY, Reason(Code.QUOTA_NOT_READY, said, wakes=_WAKES))
    need = amounts.demand(workers)
    exceeded = next((reason for one in chain if (reason := exceeds(one, need))), None)
    return _blocked(exceeded) if exceeded else Check("resource", State.READY)


def exceeds(quota: Snapshot, need: Amounts) -> Reason | None:
    """Why a job would never fit into a quota though it were empty."""
    has = amounts.held(quota, "AllocatableQuota")
    gap = amounts.lacking(need, has)
    if not gap:
        return None
    return Reason(
        Code.EXCEEDS_QUOTA,
        f"The job needs {amounts.written({name: need[name] for name in gap})}, and all of quota {quota.full_name} "
        f"is {amounts.written({name: has[name] for name in gap})}: {amounts.written(gap)} too little.",
        fix="Ask for less or fewer workers, or enlarge the quota in PAI's console.",
        wakes=_WAKES,
        facts={"need": amounts.written(need), "limit": amounts.written(has), "gap": amounts.written(gap)},
    )


def _blocked(reason: Reason) -> Check:
    return Check("resource", State.BLOCKED, reason)


def _unread(problem: str) -> Check:
    if problem:
        said = f"PAI's quotas could not be read: {problem}"
        fix = "Grant paistudio:ListQuotas to the role of the function 'quota_change'."
        return Check("resource", State.UNKNOWN, Reason(Code.QUOTA_NOT_FOUND, said, fix, wakes=_WAKES))
    reason = Reason(Code.QUOTA_NOT_FOUND, "PAI's quotas were not read yet.", wakes=_WAKES)
    return Check("resource", State.RETRY, reason)


def _missing(resource: Resource) -> Reason:
    return Reason(
        Code.QUOTA_NOT_FOUND,
        f"PAI lists no quota {resource.quota} in this region.",
        fix=f"Correct resources.{resource.name}.quota: 'junbi quotas' lists those there are.",
        wakes=f"the next apply, or {_WAKES}",
    )


def _kind(resource: Resource, quota: Snapshot) -> Reason:
    return Reason(
        Code.QUOTA_KIND_MISMATCH,
        f"Quota {quota.full_name} is of kind {quota.kind}, and {resource.name} is declared as {resource.kind}.",
        fix=f"Correct resources.{resource.name}.kind, or its quota.",
        wakes="the next apply",
    )


def _attach(resource: Resource, quota: Snapshot, workspace: str) -> Reason:
    body = {
        "Option": "Attach",
        "Resources": [
            {
                "ProductType": "PAI",
                "ResourceType": KIND_OF[resource.kind],
                "WorkspaceId": workspace,
                "Quotas": [{"Id": quota.id}],
            }
        ],
    }
    return Reason(
        Code.QUOTA_NOT_ATTACHED,
        f"Quota {quota.full_name} is not attached to workspace {workspace}.",
        fix=f"An administrator of the workspace runs: aliyun aiworkspace POST /api/v1/workspaces/{workspace}/resources "
        f"--header Content-Type=application/json --body '{json.dumps(body)}'",
        wakes=_WAKES,
    )
