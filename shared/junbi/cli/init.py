"""``junbi init``: a commented junbi.yaml to start from."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import click

from junbi.cli import COULD_NOT_FIND_OUT, NO


@click.command("init")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=".")
def command(directory: Path) -> int:
    """Write a commented junbi.yaml into DIRECTORY (here by default). It asks nothing and overwrites nothing."""
    target = directory / "junbi.yaml"
    text = starter(_deployment(directory.resolve().name))
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        click.echo(f"{target} is there already and was left as it is.", err=True)
        return NO
    except OSError as failure:
        click.echo(f"{target} could not be written: {failure.strerror}.", err=True)
        return COULD_NOT_FIND_OUT
    click.echo(f"Wrote {target}. Put your own names in, then check it: junbi lint --config {target}")
    return 0


def starter(deployment: str) -> str:
    """The text of a valid file for a deployment of that name."""
    text = files("junbi.cli").joinpath("starter.yaml").read_text(encoding="utf-8")
    return text.replace("deployment: vision", f"deployment: {deployment}", 1)


def _deployment(folder: str) -> str:
    """A deployment's name made of the folder's; ``vision`` where nothing of it can stand in a name."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.lower()).strip("-")[:63].rstrip("-")
    return name if name and not name.startswith("x-") and re.search(r"[a-z]", name) else "vision"
