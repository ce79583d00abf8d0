"""Whether a launch may be submitted: every prerequisite evaluated, all failures shown at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from junbi.core.model import Check, State
from junbi.core.reasons import Code
from junbi.core.rules import (
    code_build,
    dataset_exists,
    dataset_unchanged,
    dataset_version,
    image_pinned,
    mount_collision,
    plan_present,
    public_resource,
    quota,
    request_size,
    worker_spec,
    workspace,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from junbi.core.facts import Pinned
    from junbi.core.model import Reason
    from junbi.core.plan import PlanSpec
    from junbi.core.quotas import Snapshot


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """What the rules look at. A value that could not be read for lack of rights is None: said, never guessed.

    Attributes:
        plan: the plan of the generation in force, None where it was removed.
        workspace: the workspace's id.
        workspace_status: PAI's word for its status, empty where there is none, None where we may not look.
        instance_types: the public instance types of the region, None where we may not look.
        pinned: by the input's name.
        listed: the digest of each dataset's prefix as listed just now; a dataset not listed yet is absent.
        existing: what PAI says of the datasets that the plan names by id.
        quotas: the plan's quota as it was read last, and those it is nested in; see ``rules.quota``.
        quota_problem: why it could not be read the last time.
        unknown: placeholders of the plan that nothing pinned gives a value for.
        request_size: bytes of CreateJob's body; 0 while it cannot be built.
    """

    plan: PlanSpec | None
    workspace: str
    workspace_status: str | None
    instance_types: frozenset[str] | None
    pinned: Mapping[str, Pinned]
    listed: Mapping[str, str] = field(default_factory=dict)
    existing: Mapping[str, dataset_exists.Seen] = field(default_factory=dict)
    quotas: Sequence[Snapshot] | None = ()
    quota_problem: str = ""
    unknown: tuple[str, ...] = ()
    request_size: int = 0


def evaluate(facts: LaunchFacts) -> tuple[Check, ...]:
    """Every check of a launch, in the order of precedence."""
    fits = plan_present.check(facts.plan, facts.pinned, facts.unknown)
    if facts.plan is None or not fits.ready:
        return (fits,)
    datasets = [
        check
        for name in facts.plan.datasets
        for check in (
            dataset_version.check(name, facts.pinned[name]),
            dataset_unchanged.check(name, facts.pinned[name].revision, facts.listed.get(name)),
        )
    ]
    return (
        fits,
        workspace.check(facts.workspace, facts.workspace_status),
        worker_spec.check(facts.plan.resource, facts.plan.job.workers, facts.plan.job.type),
        _resource(facts, facts.plan),
        mount_collision.check(facts.plan),
        request_size.check(facts.request_size),
        *(dataset_exists.check(one, facts.existing[one.name]) for one in facts.plan.existing),
        *datasets,
        *([code_build.check(facts.plan.code, facts.pinned[facts.plan.code])] if facts.plan.code else ()),
        *([image_pinned.check(image, facts.pinned[image])] if (image := facts.plan.image_line) else ()),
    )


def _resource(facts: LaunchFacts, plan: PlanSpec) -> Check:
    if plan.resource.quota:
        return quota.check(plan.resource, facts.quotas, facts.quota_problem, facts.workspace, plan.job.workers)
    return public_resource.check(plan.resource, facts.instance_types)


#: Which state leads when several checks are not ready.
_LEAD = (State.BLOCKED, State.RETRY, State.UNKNOWN, State.PENDING)
_ORDER = {code.value: place for place, code in enumerate(Code)}


def leading(checks: Iterable[Check]) -> Reason | None:
    """The one reason to show first, or None when all checks are ready."""
    open_checks = [check for check in checks if not check.ready and check.reason is not None]
    first = min(open_checks, key=_precedence, default=None)
    return first.reason if first else None


def _precedence(check: Check) -> tuple[int, int]:
    code = check.reason.code if check.reason else ""
    return (_LEAD.index(check.state), _ORDER.get(code, len(_ORDER)))


def all_ready(checks: Iterable[Check]) -> bool:
    """Whether nothing stands in the way."""
    return all(check.ready for check in checks)


def only_pending(checks: Iterable[Check]) -> bool:
    """Whether what is not ready has only not been looked at yet."""
    return all(check.state in {State.READY, State.PENDING} for check in checks)
