"""``junbi diff``: what applying junbi.yaml would change."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from junbi.cli.options import config_option, environment_option, json_option

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.core.facts import Launch
    from junbi.core.plan import Generation
    from junbi.ledger.ledger import Ledger


@click.command("diff")
@config_option
@environment_option
@json_option
def command(config: Path, environment: str | None, *, as_json: bool) -> int:
    """Show what 'junbi apply' would change, and which waiting launches it would evaluate again.

    Applying starts nothing by itself: only a new version of an input does.
    """
    from junbi.config import load_generation  # the YAML reader is only there with the extra 'cli'
    from junbi.core.compare import compare
    from junbi.ledger.ledger import open_ledger

    ledger, new = open_ledger(make=False), load_generation(config, environment).generation
    ledger.generations.check_deployment(new)
    changes, waiting = compare(ledger.generations.latest(), new), _waiting(ledger, new)
    if as_json:
        told = {"changes": [asdict(change) for change in changes], "evaluated_again": [one.id for one in waiting]}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return 0
    click.echo("\n".join(str(change) for change in changes) or "Nothing would change.")
    for launch in waiting if changes else ():
        gone = "" if launch.plan in new.plans else " (its plan is removed: it would be blocked)"
        click.echo(f"? launch {launch.id} of {launch.plan} would be evaluated again{gone}")
    return 0


def _waiting(ledger: Ledger, new: Generation) -> list[Launch]:
    """The launches that wait, and so would follow a new generation."""
    from junbi.core.facts import LaunchState

    if ledger.generations.latest() == new:
        return []
    return ledger.launches.standing({LaunchState.WAITING, LaunchState.REFUSED})
