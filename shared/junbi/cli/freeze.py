"""``junbi freeze``: holds back what plans would launch."""

from __future__ import annotations

import click


@click.command("freeze")
@click.argument("plan", metavar="[PLAN]", required=False, default="")
def command(plan: str) -> int:
    """Launch nothing of PLAN, or of any plan, until 'junbi thaw'. What runs goes on; what arrives waits."""
    from junbi.cli import person
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import acts

    frozen = acts.freeze(open_ledger(), plan, person.name())
    what = f"Plan {plan} is" if plan else "All plans are"
    click.echo(f"{what} frozen." if frozen else f"{what} frozen already.")
    return 0
