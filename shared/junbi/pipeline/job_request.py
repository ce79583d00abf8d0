"""CreateJob's request for a launch: the declared job with its pinned inputs, tags and names filled in."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from junbi.core.assumptions import TAG_ATTEMPT, TAG_DEPLOYMENT, TAG_IDENTITY, TAG_LAUNCH
from junbi.core.facts import InputKind
from junbi.core.placeholders import fill, references
from junbi.wire.dlc import CodeSource, CreateJobRequest, DataSource, JobSettings, JobSpec, ResourceConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.core.facts import Launch, Pinned
    from junbi.core.plan import ExistingDataset, Output, PlanSpec, Workers
    from junbi.ledger.generations import Scope


def build(scope: Scope, launch: Launch, pinned: Mapping[str, Pinned]) -> CreateJobRequest:
    """The request. Every pinned dataset must be registered: its id and version are named, never left to a default.

    What ``job.request`` of the plan adds was checked against the wire model when it was applied; it never
    replaces what is set here.
    """
    plan = launch.spec
    values = _values(launch, pinned)
    ours = CreateJobRequest(
        display_name=f"{plan.name}-{launch.id}" + (f"-{launch.attempt}" if launch.attempt > 1 else ""),
        job_type=plan.job.type,
        job_specs=[_workers(plan, _image(plan, pinned))],
        user_command=fill(plan.job.command, values, quote=shlex.quote),
        workspace_id=scope.workspace,
        resource_id=plan.resource.quota or None,
        data_sources=[
            *(_dataset(plan, name, one) for name, one in pinned.items() if one.revision.kind is InputKind.DATASET),
            *(_existing(one) for one in plan.existing),
            *(_output(scope, output, values) for output in plan.outputs),
        ],
        envs={name: fill(text, values) for name, text in plan.job.env.items()} | environment(scope, launch, pinned),
        settings=JobSettings(tags=_tags(scope, launch)),
        priority=plan.policy.priority,
        code_source=_code(plan, pinned[plan.code]) if plan.code else None,
    )
    if not plan.job.request:
        return ours
    return CreateJobRequest.model_validate(_merge(dict(plan.job.request), ours.to_wire()))


def unknown(launch: Launch, pinned: Mapping[str, Pinned]) -> tuple[str, ...]:
    """The placeholders of a plan that nothing gives a value for: the plan changed after the launch was made."""
    job, values = launch.spec.job, _values(launch, pinned)
    texts = (job.command, *job.env.values(), *(output.uri for output in launch.spec.outputs))
    named = {reference.name for text in texts for reference in references(text)}
    return tuple(sorted(named - set(values)))


def environment(scope: Scope, launch: Launch, pinned: Mapping[str, Pinned]) -> dict[str, str]:
    """What junbi tells the job about itself: names that a command may need, safe from any shell."""
    told = {
        "JUNBI_DEPLOYMENT": scope.deployment,
        "JUNBI_PLAN": launch.plan,
        "JUNBI_LAUNCH": launch.id,
        "JUNBI_ATTEMPT": str(launch.attempt),
    }
    for name, text in _values(launch, pinned).items():
        told.setdefault("JUNBI_" + re.sub(r"\W", "_", name).upper(), text)
    return told


def _values(launch: Launch, pinned: Mapping[str, Pinned]) -> dict[str, str]:
    """What ``{launch}``, ``{attempt}``, ``{params.…}`` and ``{<dataset>.<capture>}`` stand for."""
    values = {"launch": launch.id, "attempt": str(launch.attempt)}
    values |= {f"params.{name}": _text(value) for name, value in launch.params.items()}
    for name, one in pinned.items():
        values |= {f"{name}.{capture}": text for capture, text in one.revision.captures.items()}
    for existing in launch.spec.existing:
        values |= {f"{existing.name}.id": existing.id, f"{existing.name}.version": existing.version}
    return values


def _text(value: object) -> str:
    """A parameter as the YAML file wrote it: ``true``, not ``True``."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _image(plan: PlanSpec, pinned: Mapping[str, Pinned]) -> str:
    """The image by its digest where it is watched: a tag alone would be read when the job starts."""
    return f"{plan.image}@{pinned[plan.image_line].revision.digest}" if plan.image_line else plan.image


def _workers(plan: PlanSpec, image: str) -> JobSpec:
    return JobSpec(
        type="Worker",
        image=image,
        pod_count=plan.job.workers.count,
        ecs_spec=plan.resource.public or None,
        resource_config=_asked(plan.job.workers) if plan.resource.quota else None,
    )


def _asked(workers: Workers) -> ResourceConfig:
    """What each pod asks for, as PAI has it: texts, and nothing for what is not asked for."""
    return ResourceConfig(
        cpu=str(workers.cpu),
        memory=workers.memory,
        shared_memory=workers.shared_memory or None,
        gpu=str(workers.gpu) if workers.gpu else None,
        gpu_type=workers.gpu_type or None,
    )


def _dataset(plan: PlanSpec, name: str, one: Pinned) -> DataSource:
    return DataSource(
        data_source_id=one.registration.dataset_id,
        data_source_version=one.registration.version_name,
        mount_path=plan.mounts[name],
        mount_access="RO",
    )


def _existing(existing: ExistingDataset) -> DataSource:
    return DataSource(
        data_source_id=existing.id,
        data_source_version=existing.version,
        mount_path=existing.mount,
        mount_access="RO",
    )


def _code(plan: PlanSpec, pinned: Pinned) -> CodeSource:
    """The code build at the pinned commit: a branch alone would be read when the job starts."""
    return CodeSource(
        code_source_id=pinned.registration.dataset_id, commit=pinned.revision.digest, mount_path=plan.code_mount
    )


def _output(scope: Scope, output: Output, values: Mapping[str, str]) -> DataSource:
    bucket, _, prefix = fill(output.uri, values).removeprefix("oss://").partition("/")
    return DataSource(
        uri=f"oss://{bucket}.oss-{scope.region}-internal.aliyuncs.com/{prefix}",
        mount_path=output.mount,
        mount_access="RW",
    )


def _tags(scope: Scope, launch: Launch) -> dict[str, str]:
    return {
        **launch.spec.tags,
        TAG_DEPLOYMENT: scope.deployment,
        TAG_LAUNCH: launch.id,
        TAG_IDENTITY: launch.identity,
        TAG_ATTEMPT: str(launch.attempt),
    }


def _merge(declared: dict[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Ours over what was declared, member by member where both are objects."""
    merged = dict(declared)
    for name, value in ours.items():
        below = merged.get(name)
        merged[name] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
