"""Compiles a configuration into a generation: every name resolved, and every rule the file alone can break checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.config.code import compile_code
from junbi.config.findings import Findings, listed, suggestion
from junbi.config.images import compile_images
from junbi.config.loops import check_loops
from junbi.config.plans import compile_plan
from junbi.config.watches import compile_datasets, existing_datasets
from junbi.core.plan import Generation

if TYPE_CHECKING:
    from junbi.config.model import Config, Environment
    from junbi.core.plan import CodeSpec, ImageSpec


def compile_generation(
    config: Config, environment: str | None = None, *, findings: Findings | None = None
) -> Generation:
    """The generation for one environment.

    Args:
        config: the validated file.
        environment: which one; may be left out where the file has one.
        findings: takes the warnings, and knows the places of things in the file.

    Raises:
        ConfigInvalid: with every problem there is.
    """
    findings = findings or Findings()
    name = _choose(config, environment, findings)
    datasets = compile_datasets(config, findings)
    code = compile_code(config, findings)
    images = compile_images(config, findings)
    lines: dict[str, CodeSpec | ImageSpec] = {**code, **images}
    plans = {plan: compile_plan(plan, config, datasets, lines, findings) for plan in config.plans}
    compiled = {plan: spec for plan, spec in plans.items() if spec is not None}
    check_loops(compiled, datasets, findings)
    findings.raise_if_any()
    chosen: Environment = config.environments[name]
    return Generation(
        deployment=config.deployment,
        environment=name,
        region=chosen.region,
        workspace=chosen.workspace,
        datasets=datasets,
        plans=compiled,
        code=code,
        images=images,
        existing=existing_datasets(config),
    )


def _choose(config: Config, environment: str | None, findings: Findings) -> str:
    names = list(config.environments)
    if environment is None and len(names) > 1:
        findings.error(("environments",), f"there are {len(names)}: choose one with --env ({listed(names)})", key=True)
    elif environment is not None and environment not in names:
        message = f"no environment {environment!r}{suggestion(environment, names)}; there are: {listed(names)}"
        findings.error(("environments",), message, key=True)
    return environment or names[0]
