"""``junbi launch``: launches a plan by your word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from junbi.cli.options import json_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from junbi.core.facts import Launch, Revision


@click.command("launch")
@click.argument("plan", metavar="PLAN")
@click.option("--pin", "pins", metavar="DATASET=LABEL", multiple=True, help="A version in place of the newest one.")
@click.option("--set", "settings", metavar="PARAM=VALUE", multiple=True, help="Another value of a parameter.")
@click.option("--dry-run", is_flag=True, help="Say what would be launched, and launch nothing.")
@json_option
def command(plan: str, pins: Sequence[str], settings: Sequence[str], *, dry_run: bool, as_json: bool) -> int:
    """Launch PLAN now, with the newest version of each input.

    What was launched before is not launched twice: 'junbi rerun' does that.
    """
    from junbi.cli import person
    from junbi.core.facts import Launch
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import acts

    labels, params = _pairs(pins, "--pin"), _pairs(settings, "--set")
    ledger = open_ledger()
    made = acts.start(ledger, plan, person.name(), labels=labels, params=params, dry_run=dry_run)
    said = (
        _said(made, ledger.overview.revisions(made.pins.values()), dry_run=dry_run) if isinstance(made, Launch) else ""
    )
    return person.answer(made, said, as_json=as_json)


def _said(made: Launch, revisions: Mapping[str, Revision], *, dry_run: bool) -> str:
    params = ", ".join(f"{name}={value}" for name, value in made.params.items())
    what = f"{made.plan}" + (f" with {params}" if params else "")
    pins = ", ".join(f"{name} {revisions[pin].label}" for name, pin in made.pins.items())
    verb = "would be launched as" if dry_run else "is launched as"
    return f"{what} {verb} {made.id}, on {pins}."


def _pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    for text in texts:
        if "=" not in text:
            raise click.UsageError(f"{option} takes NAME=VALUE, got {text!r}")
    return dict(text.split("=", 1) for text in texts)
