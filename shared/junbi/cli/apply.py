"""``junbi apply``: puts junbi.yaml in force."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click

from junbi.cli.options import config_option, environment_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("apply")
@config_option
@environment_option
def command(config: Path, environment: str | None) -> int:
    """Check junbi.yaml, compile it and store it in the ledger (JUNBI_LEDGER) as the generation in force."""
    from junbi.config import load_generation  # the YAML reader is only there with the extra 'cli'
    from junbi.ledger.ledger import DEFAULT_URL, open_ledger
    from junbi.pipeline.apply import apply

    loaded = load_generation(config, environment)
    for warning in loaded.warnings:
        click.echo(f"warning: {warning}", err=True)
    number = apply(open_ledger(), loaded.generation)
    where = os.environ.get("JUNBI_LEDGER") or f"{DEFAULT_URL} (JUNBI_LEDGER is not set)"
    shown = re.sub(r"//.*@", "//***@", where)  # what stands there may be a password
    click.echo(
        f"Generation {number} is in force in {shown}."
        if number
        else "Nothing changed; what waits or was refused is tried again."
    )
    return 0
