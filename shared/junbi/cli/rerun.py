"""``junbi rerun``: runs again what a launch trained on."""

from __future__ import annotations

import click

from junbi.cli.options import json_option


@click.command("rerun")
@click.argument("launch_id", metavar="LAUNCH")
@json_option
def command(launch_id: str, *, as_json: bool) -> int:
    """Launch the same versions and parameters once more, with the plan as it is now."""
    from junbi.cli import person
    from junbi.core.facts import Launch
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import acts

    again = acts.rerun(open_ledger(), launch_id, person.name())
    said = (
        f"Launch {again.id} is run {again.rerun + 1} of what {launch_id} trained on."
        if isinstance(again, Launch)
        else ""
    )
    return person.answer(again, said, as_json=as_json)
