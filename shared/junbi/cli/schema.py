"""``junbi schema``: the JSON Schema of junbi.yaml, for editors."""

from __future__ import annotations

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema (2020-12) of junbi.yaml.

    Editors complete and check the file with it once its first line is:
    # yaml-language-server: $schema=junbi.schema.json
    """
    from junbi.config.schema import schema  # the models are only needed here

    click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
