"""``junbi cancel``: takes a launch back."""

from __future__ import annotations

import click

from junbi.cli.options import json_option


@click.command("cancel")
@click.argument("launch_id", metavar="LAUNCH")
@json_option
def command(launch_id: str, *, as_json: bool) -> int:
    """Cancel a launch: one that waits ends at once, the job of one that is under way is stopped. It is final."""
    from junbi.cli import person
    from junbi.core.facts import Launch
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import acts

    after = acts.cancel(open_ledger(), launch_id, person.name())
    stopping = isinstance(after, Launch) and after.stop is not None
    said = f"Launch {launch_id} is being stopped." if stopping else f"Launch {launch_id} is cancelled."
    return person.answer(after, said, as_json=as_json)
