"""``junbi migrate``: brings the ledger's schema up to date."""

from __future__ import annotations

import click


@click.command("migrate")
def command() -> int:
    """Bring the schema of the ledger (JUNBI_LEDGER) up to date; a SQLite ledger is made where there is none."""
    from junbi.ledger.ledger import open_ledger  # the engine

    open_ledger()
    click.echo("The ledger is up to date.")
    return 0
