"""Proves that every placeholder of a plan names something, and stands where its value cannot break out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from junbi.config.findings import listed, suggestion
from junbi.core.placeholders import references
from junbi.core.plan import CodeSpec, DatasetSpec, ImageSpec
from junbi.core.shell import unprotected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from junbi.config.findings import Findings
    from junbi.config.model import Plan
    from junbi.config.tree import Path
    from junbi.core.plan import ExistingDataset

    Inputs = Mapping[str, DatasetSpec | ExistingDataset | CodeSpec | ImageSpec]


def check_templates(plan: Plan, inputs: Inputs, path: Path, findings: Findings) -> None:
    """Notes every placeholder in command, env and outputs that cannot be filled, or not safely.

    ``inputs`` are those of the file that are right, by name: what a plan says of the others is not judged.
    """
    named = _named(plan, inputs)
    known = names(plan, inputs)
    broken = {name for name in named if name not in inputs}
    for at, text in _templates(plan, path):
        for reference in references(text):
            if reference.name not in known and reference.name.partition(".")[0] not in broken:
                findings.error(at, _unknown(reference.name, known))
    for reference in unprotected(plan.job.command, references(plan.job.command)):
        findings.error((*path, "job", "command"), _exposed(reference.name))


def _named(plan: Plan, inputs: Inputs) -> list[str]:
    """The inputs of a plan; a fixed image is none, and not among ``inputs``."""
    image = (plan.image,) if isinstance(inputs.get(plan.image), ImageSpec) else ()
    return [*plan.datasets, *filter(None, (plan.code,)), *image]


def names(plan: Plan, inputs: Inputs) -> list[str]:
    """Every placeholder the plan may use."""
    named = _named(plan, inputs)
    told = [f"{name}.{word}" for name in named if name in inputs for word in _words(inputs[name])]
    return ["launch", "attempt", *(f"params.{name}" for name in plan.params), *told]


def _words(one: DatasetSpec | ExistingDataset | CodeSpec | ImageSpec) -> tuple[str, ...]:
    """What an input tells a job of itself."""
    if isinstance(one, DatasetSpec):
        return one.watch.captures
    if isinstance(one, CodeSpec):
        return ("commit", "branch") if one.branch else ("commit", "tag", *re.compile(one.tags).groupindex)
    if isinstance(one, ImageSpec):
        return ("digest", "tag", *re.compile(one.tags).groupindex)
    return ("id", "version")


def _templates(plan: Plan, path: Path) -> Iterator[tuple[Path, str]]:
    yield (*path, "job", "command"), plan.job.command
    for variable, value in plan.job.env.items():
        yield (*path, "job", "env", variable), value
    for name, output in plan.outputs.items():
        yield (*path, "outputs", name, "uri"), output.uri


def _unknown(name: str, known: list[str]) -> str:
    return (
        f"{{{name}}} names nothing{suggestion(name, known)}; known here: {listed(known)}. "
        f"For the braces themselves write {{{{{name}}}}}"
    )


def _exposed(name: str) -> str:
    return (
        f"{{{name}}} stands inside quotes, a comment, a here-document, ${{…}} or other shell syntax, out of which its "
        f"value could break. junbi quotes values itself: write it outside, such as --name={{{name}}}"
    )
