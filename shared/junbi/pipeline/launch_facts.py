"""Reads what the checks of a launch look at: the ledger, PAI and, last, the datasets' prefixes themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from junbi.core import arrival as arrivals
from junbi.core import refusals
from junbi.core.admission import chain
from junbi.core.facts import CreateState, InputKind, Pinned
from junbi.core.quotas import KIND_OF
from junbi.core.readiness import LaunchFacts
from junbi.errors import CallFailed, Refused
from junbi.pipeline import admission, existing_datasets, job_request
from junbi.pipeline.scan import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.core.facts import Launch, Revision
    from junbi.core.plan import PlanSpec, Resource
    from junbi.core.quotas import Snapshot
    from junbi.pipeline.wiring import Ports


def pinned(ports: Ports, launch: Launch) -> dict[str, Pinned]:
    """The datasets of a launch with where their registrations stand."""
    revisions = ports.ledger.revisions
    return {name: Pinned(revisions.get(pin), revisions.registration(pin)) for name, pin in launch.pins.items()}


def load(ports: Ports, launch: Launch, plan: PlanSpec | None) -> LaunchFacts:
    """Everything but the listings, which cost most and are made last."""
    inputs = pinned(ports, launch)
    unknown = job_request.unknown(launch, inputs) if plan else ()
    buildable = plan is not None and set(plan.inputs) == set(inputs) and not unknown
    registered = all(one.registration.state is CreateState.DONE for one in inputs.values())
    request = job_request.build(ports.scope, launch, inputs) if buildable and registered else None
    quotas, problem = _quotas(ports, plan.resource) if plan else ((), "")
    return LaunchFacts(
        plan=plan,
        workspace=ports.scope.workspace,
        workspace_status=_workspace_status(ports),
        instance_types=_instance_types(ports) if plan and plan.resource.public else None,
        quotas=quotas,
        quota_problem=problem,
        pinned=inputs,
        existing=existing_datasets.seen(ports, plan) if plan else {},
        unknown=unknown,
        request_size=len(request.model_dump_json(by_alias=True, exclude_none=True).encode()) if request else 0,
    )


def listed(ports: Ports, facts: LaunchFacts, owner: str) -> LaunchFacts:
    """The same facts, with every pinned prefix listed once more; one whose listing takes longer is left out."""
    datasets = {name: one for name, one in facts.pinned.items() if one.revision.kind is InputKind.DATASET}
    several = len(datasets) > 1
    digests = {name: prove(ports, one.revision, f"{owner}:{name}", several=several) for name, one in datasets.items()}
    ended = {name: digest for name, digest in digests.items() if digest is not None}
    if len(ended) == len(digests):
        for name in digests:
            ports.ledger.scans.drop(f"{owner}:{name}")
    return replace(facts, listed=ended)


def prove(ports: Ports, revision: Revision, owner: str, *, several: bool = False) -> str | None:
    """The digest of what a revision's prefix holds now; None where the time was up: then the next look goes on.

    One of ``several`` keeps its listing until the others have ended too.
    """
    watched = ports.ledger.generations.watched(revision.dataset)
    arrival = ports.ledger.arrivals.get(arrivals.key(revision.dataset, revision.bucket, revision.prefix))
    token = str(arrival.row) if arrival else ""  # an event changes it, and the listing begins anew
    place = (revision.bucket, revision.prefix, watched.dataset.complete.sign if watched else None)
    listing = scan(ports, owner, token, place, keep_ended=several)
    return listing.digest if listing else None


def _workspace_status(ports: Ports) -> str | None:
    try:
        return ports.workspace.get_workspace(ports.scope.workspace).status or ""
    except Refused as error:
        if may_not_look(error):
            return None
        if error.code not in refusals.WORKSPACE_GONE:
            raise
        return ""


def _quotas(ports: Ports, resource: Resource) -> tuple[Sequence[Snapshot] | None, str]:
    """A resource's quota and those it is nested in, as ``quota_change`` read them; and why not, the last time."""
    if not resource.quota:
        return (), ""
    region = ports.scope.region
    reading = ports.ledger.quotas.readings(region).get(KIND_OF[resource.kind])
    if reading is None or reading.read_at is None:
        return None, reading.problem if reading else ""
    return chain(admission.known(ports.ledger, region), resource.quota), ""


def _instance_types(ports: Ports) -> frozenset[str] | None:
    try:
        return frozenset(spec.instance_type or "" for spec in ports.dlc.list_instance_types())
    except Refused as error:
        if may_not_look(error):
            return None
        raise


def may_not_look(error: CallFailed) -> bool:
    """Whether a refusal means that the caller lacks the right to read: the answer is unknown then, and not a no."""
    return refusals.lacks_right(error.code)
