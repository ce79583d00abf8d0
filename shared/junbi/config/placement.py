"""Compiles what a plan runs on and how it waits for it, and finds what could never run there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.config import resources as section
from junbi.core.plan import Fallback, Queue, Resource, Workers
from junbi.core.rules import worker_spec

if TYPE_CHECKING:
    from junbi.config.findings import Findings
    from junbi.config.model import Config, Plan
    from junbi.config.tree import Path


def compile_resource(name: str, config: Config) -> Resource:
    """One of the resources."""
    found = config.resources[name]
    if isinstance(found, section.PublicResource):
        return Resource(name=name, public=found.public)
    return Resource(name=name, quota=found.quota, kind=found.kind)


def compile_workers(workers: section.Workers) -> Workers:
    """The pods, with what is not said left out."""
    return Workers(**workers.model_dump(exclude_none=True))


def compile_queue(plan: Plan, config: Config) -> Queue:
    """How the plan's launches wait for their turn."""
    said = plan.policy.quota or section.Queue()
    submit, wait = said.submit or section.Submit(), said.wait or section.Wait()
    fallback = (
        Fallback(
            resource=compile_resource(one.resource, config),
            after=one.after,
            workers=compile_workers(one.workers or plan.job.workers),
        )
        for one in said.fallback
    )
    return Queue(waits=said.wait is not None, max_queued=submit.max_queued, aging=wait.aging, fallback=tuple(fallback))


def check_placement(plan: Plan, config: Config, path: Path, findings: Findings) -> bool:
    """Notes pods that do not go with their resource, and a line that could never be stood in.

    Returns:
        Whether every fallback names a resource.
    """
    own, job = config.resources.get(plan.resource), plan.job
    if own is not None:
        _fits(job.type, compile_resource(plan.resource, config), job.workers, findings, (*path, "job", "workers"))
    queue, at = plan.policy.quota, (*path, "policy", "quota")
    if queue is None:
        return True
    named = [
        findings.declared(one.resource, config.resources, "resource", (*at, "fallback", index, "resource"))
        for index, one in enumerate(queue.fallback)
    ]
    if isinstance(own, section.PublicResource):
        findings.error(at, f"could never be used: {plan.resource} is no quota but a public instance type", key=True)
    if not all(named):
        return False
    for index, one in enumerate(queue.fallback):
        here = (*at, "fallback", index)
        if index and one.after <= queue.fallback[index - 1].after:
            findings.error((*here, "after"), "is not later than the fallback before it, which would never be used")
        _fits(job.type, compile_resource(one.resource, config), one.workers or job.workers, findings, here)
    return True


def _fits(job: str, resource: Resource, workers: section.Workers, findings: Findings, path: Path) -> None:
    check = worker_spec.check(resource, compile_workers(workers), job)
    if check.reason is not None:
        findings.error(path, f"{check.reason.code}: {check.reason.message} {check.reason.fix}", key=True)
