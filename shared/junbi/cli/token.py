"""``junbi token``: lets people into the console and programs into the API."""

from __future__ import annotations

import secrets

import click


@click.group("token")
def command() -> None:
    """Tokens for the console and the API. The ledger keeps only their digests."""


@command.command("create")
@click.argument("owner")
def create(owner: str) -> int:
    """Issue a token for OWNER, and print it: it is shown this once."""
    from junbi.ledger.ledger import open_ledger  # the engine

    ledger, token = open_ledger(), secrets.token_urlsafe(24)
    ledger.issue_token(token, owner, ledger.now())
    click.echo(token)
    return 0
