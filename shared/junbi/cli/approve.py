"""``junbi approve``: lets a launch start whose plan asks for approval."""

from __future__ import annotations

import click

from junbi.cli.options import json_option


@click.command("approve")
@click.argument("launch_id", metavar="LAUNCH")
@json_option
def command(launch_id: str, *, as_json: bool) -> int:
    """Approve a launch of a plan with 'approve: true'; it starts once everything else is ready."""
    from junbi.cli import person
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import acts

    after = acts.approve(open_ledger(), launch_id, person.name())
    return person.answer(after, f"Launch {launch_id} is approved.", as_json=as_json)
