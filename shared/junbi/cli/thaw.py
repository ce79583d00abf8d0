"""``junbi thaw``: ends a freeze, and says what becomes of what came meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from junbi.core.acts import Meanwhile


@click.command("thaw")
@click.argument("plan", metavar="[PLAN]", required=False, default="")
@click.option(
    "--meanwhile",
    type=click.Choice(["every", "newest", "skip"]),
    help="Which of the launches that arrivals made during the freeze go on.  [default: as 'waiting' of the plan says]",
)
def command(plan: str, meanwhile: Meanwhile | None) -> int:
    """End the freeze of PLAN, or the one of all plans."""
    from junbi.cli import person
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import acts

    told = acts.thaw(open_ledger(), plan, person.name(), meanwhile)
    what = f"Plan {plan}" if plan else "All plans together"
    if told is None:
        click.echo(f"junbi: {what} had no freeze to end.", err=True)
        return 1
    click.echo(f"{what}: thawed. Launches that waited: {told['go_on']} to go on, {told['let_go']} let go by.")
    return 0
