"""``junbi lint``: everything the file alone can tell about whether it will work."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from junbi.cli.options import config_option, environment_option, json_option
from junbi.errors import ConfigInvalid

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.core.plan import Generation
    from junbi.errors import Problem


@click.command("lint")
@config_option
@environment_option
@json_option
def command(config: Path, environment: str | None, *, as_json: bool) -> int:
    """Check junbi.yaml and name every problem with its line and column.

    Without --env the file is checked for every environment it has.
    """
    problems, warnings, generation = check(config, environment)
    if as_json:
        told = {"problems": [asdict(it) for it in problems], "warnings": [asdict(it) for it in warnings]}
        click.echo(json.dumps({"ok": not problems, **told}, ensure_ascii=False, indent=2))
        return int(bool(problems))
    for problem in problems:
        click.echo(str(problem), err=True)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    if generation is not None:
        click.echo(f"{config} is fine: {_count(generation.plans, 'plan')}, {_count(generation.datasets, 'dataset')}.")
    return int(bool(problems))


def check(config: Path, environment: str | None) -> tuple[list[Problem], list[Problem], Generation | None]:
    """Problems, warnings, and the generation where there is no problem."""
    from junbi.config import load_config  # the YAML reader is only there with the extra 'cli'
    from junbi.config.compile import compile_generation

    try:
        parsed, findings = load_config(config)
        chosen = environment or next(iter(parsed.environments))
        # Environments differ in what the model has checked already, so compiling for one compiles for each.
        generation = compile_generation(parsed, chosen, findings=findings)
    except ConfigInvalid as invalid:
        return invalid.problems, [], None
    return [], findings.warnings, generation


def _count(things: object, word: str) -> str:
    number = len(things)  # type: ignore[arg-type]
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
