"""Proves that every placeholder of a plan names something, and stands where its value cannot break out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.config.findings import listed, suggestion
from junbi.core.placeholders import references
from junbi.core.shell import unprotected

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from junbi.config.findings import Findings
    from junbi.config.model import Plan
    from junbi.config.tree import Path
    from junbi.core.plan import DatasetSpec


#: What an existing dataset tells a job of itself.
_OF_EXISTING = ("id", "version")


def check_templates(
    plan: Plan, datasets: Mapping[str, DatasetSpec], existing: Collection[str], path: Path, findings: Findings
) -> None:
    """Notes every placeholder in command, env and outputs that cannot be filled, or not safely."""
    known = names(plan, datasets, existing)
    broken = {name for name in plan.datasets if name not in datasets and name not in existing}
    for at, text in _templates(plan, path):
        for reference in references(text):
            if reference.name not in known and reference.name.partition(".")[0] not in broken:
                findings.error(at, _unknown(reference.name, known))
    for reference in unprotected(plan.job.command, references(plan.job.command)):
        findings.error((*path, "job", "command"), _exposed(reference.name))


def names(plan: Plan, datasets: Mapping[str, DatasetSpec], existing: Collection[str]) -> list[str]:
    """Every placeholder the plan may use."""
    captures = [
        f"{name}.{capture}" for name in plan.datasets if name in datasets for capture in datasets[name].watch.captures
    ]
    captures += [f"{name}.{word}" for name in plan.datasets if name in existing for word in _OF_EXISTING]
    return ["launch", "attempt", *(f"params.{name}" for name in plan.params), *captures]


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
