"""``junbi migrate``: brings the ledger's schema up to date."""

from __future__ import annotations

import click


@click.command("migrate")
def command() -> int:
    """Bring the schema of the ledger (JUNBI_LEDGER) up to date; where there is none it is made.

    Run it with the new version before the new functions are deployed: the old ones work on meanwhile.
    """
    from junbi.ledger.ledger import open_ledger  # the engine

    open_ledger(migrate=True)
    click.echo("The ledger is up to date.")
    return 0
