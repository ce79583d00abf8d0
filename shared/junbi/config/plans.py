"""Compiles one plan: its names looked up, its job template checked, its placeholders proved to name something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.config.findings import listed, suggestion
from junbi.config.images import WatchedImage, address
from junbi.config.never import check_limits, check_retries
from junbi.config.placement import check_placement, compile_queue, compile_resource, compile_workers
from junbi.config.policy_specs import check_joins, check_policy, compile_policy
from junbi.config.request import check_request
from junbi.config.templates import check_templates
from junbi.config.watches import existing_datasets
from junbi.core.places import split
from junbi.core.plan import JobTemplate, Output, PlanSpec
from junbi.core.rules import mount_collision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from junbi.config.findings import Findings
    from junbi.config.model import Config, Plan
    from junbi.config.tree import Path
    from junbi.core.plan import CodeSpec, DatasetSpec, ImageSpec

#: Beginnings of names that junbi itself gives to tags and environment variables.
_OUR_TAGS, _OUR_VARIABLES = "junbi.", "JUNBI_"


def compile_plan(
    name: str,
    config: Config,
    datasets: Mapping[str, DatasetSpec],
    lines: Mapping[str, CodeSpec | ImageSpec],
    findings: Findings,
) -> PlanSpec | None:
    """The plan, or None where what is wrong with it leaves nothing to check further."""
    plan, path = config.plans[name], ("plans", name)
    _inputs(plan, config, path, findings)
    code_known = plan.code is None or findings.declared(plan.code, config.code, "code", (*path, "code"))
    images = findings.declared(plan.image, config.images, "image", (*path, "image"))
    resources = findings.declared(plan.resource, config.resources, "resource", (*path, "resource"))
    _reserved(config, plan, path, findings)
    check_request(plan.job.request, (*path, "job", "request"), findings)
    existing = existing_datasets(config)
    check_templates(plan, {**datasets, **existing, **lines}, path, findings)
    check_joins(plan, datasets, existing, path, findings)
    check_policy(plan.policy, config, path, findings)
    check_retries(plan.policy, config, path, findings)
    check_limits(plan.policy, config, path, findings)
    fallbacks = check_placement(plan, config, path, findings)
    outputs_right = _outputs(plan, path, findings)
    if not (
        images
        and resources
        and fallbacks
        and code_known
        and outputs_right
        and set(plan.datasets) <= set(config.datasets)
    ):
        return None
    spec = _spec(name, plan, config)
    collision = mount_collision.check(spec)
    if collision.reason:
        at = (*path, "outputs") if plan.outputs else (*path, "datasets")
        findings.error(at, f"{collision.reason.code}: {collision.reason.message} {collision.reason.fix}", key=True)
    return spec


def _spec(name: str, plan: Plan, config: Config) -> PlanSpec:
    existing = existing_datasets(config)
    watched = [dataset for dataset in plan.datasets if dataset not in existing]
    return PlanSpec(
        name=name,
        on=tuple(starters(plan)),
        datasets=tuple(watched),
        mounts={dataset: config.datasets[dataset].mount for dataset in watched},
        image=address(config.images[plan.image]),
        resource=compile_resource(plan.resource, config),
        params=plan.params,
        job=JobTemplate(
            type=plan.job.type,
            workers=compile_workers(plan.job.workers),
            command=plan.job.command,
            env=plan.job.env,
            request=plan.job.request,
        ),
        outputs=tuple(Output(name=output, uri=it.uri, mount=it.mount) for output, it in plan.outputs.items()),
        tags={**config.defaults.tags, **plan.tags},
        together=not isinstance(plan.on, list),
        join=tuple(plan.join),
        settle=plan.settle,
        code=plan.code or "",
        code_mount=config.code[plan.code].mount if plan.code else "",
        image_line=watched_image(plan, config),
        policy=compile_policy(plan.policy, config),
        existing=tuple(existing[dataset] for dataset in plan.datasets if dataset in existing),
        queue=compile_queue(plan, config),
    )


def watched_image(plan: Plan, config: Config) -> str:
    """The image of a plan where it is watched, and so an input; else empty."""
    return plan.image if isinstance(config.images.get(plan.image), WatchedImage) else ""


def starters(plan: Plan) -> list[str]:
    """The inputs that start a plan, alone or together."""
    return plan.on if isinstance(plan.on, list) else plan.on.all


def _inputs(plan: Plan, config: Config, path: Path, findings: Findings) -> None:
    existing = existing_datasets(config)
    starting = ("on",) if isinstance(plan.on, list) else ("on", "all")
    for key, names in ((("datasets",), plan.datasets), (starting, starters(plan))):
        for index, name in enumerate(names):
            if name in names[:index]:
                findings.error((*path, *key, index), f"{name!r} stands in the list twice")
            elif names is plan.datasets:
                findings.declared(name, config.datasets, "dataset", (*path, *key, index))
            elif name in {plan.code, watched_image(plan, config)}:
                continue
            elif name not in plan.datasets:
                _not_used(name, plan, config, (*path, *key, index), findings)
            elif name in existing:
                message = f"{name!r} is version {existing[name].version} for good, so it can never start a plan"
                findings.error((*path, *key, index), f"{message}: name a dataset that is watched")
    if not starters(plan):
        findings.error((*path, "on"), "names nothing, so nothing could ever start this plan", key=True)


def _not_used(name: str, plan: Plan, config: Config, path: Path, findings: Findings) -> None:
    inputs = [*plan.datasets, *filter(None, (plan.code, watched_image(plan, config)))]
    near = suggestion(name, inputs)
    where = "under datasets or as code" if plan.code else "under datasets"
    message = f"{name!r} is no input of this plan{near}: only what it names {where} can start it"
    findings.error(path, f"{message} ({listed(inputs)})")


def _reserved(config: Config, plan: Plan, path: Path, findings: Findings) -> None:
    tagged: tuple[tuple[Path, Iterable[str]], ...] = (
        (("defaults", "tags"), config.defaults.tags if path[1] == next(iter(config.plans)) else ()),
        ((*path, "tags"), plan.tags),
    )
    for at, tags in tagged:
        for tag in tags:
            if tag.startswith(_OUR_TAGS):
                findings.error((*at, tag), f"tags that begin with {_OUR_TAGS} are junbi's own", key=True)
    for variable in plan.job.env:
        if variable.startswith(_OUR_VARIABLES):
            message = f"variables that begin with {_OUR_VARIABLES} are junbi's own"
            findings.error((*path, "job", "env", variable), message, key=True)


def _outputs(plan: Plan, path: Path, findings: Findings) -> bool:
    right = True
    for name, output in plan.outputs.items():
        try:
            split(output.uri)
        except ValueError as mistake:
            findings.error((*path, "outputs", name, "uri"), str(mistake))
            right = False
        else:
            if "{launch}" not in output.uri:
                message = "without {launch} every launch writes to the same folder, and OSS mounts cannot overwrite"
                findings.warn((*path, "outputs", name, "uri"), message)
    return right
