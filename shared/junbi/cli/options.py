"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_FILE, _FOLDER = Path("junbi.yaml"), Path("junbi.d")


def _find(_context: click.Context, _parameter: click.Parameter, given: Path | None) -> Path:
    if given is not None:
        return given
    if _FILE.exists() and _FOLDER.is_dir():
        raise click.UsageError("Both junbi.yaml and junbi.d/ are here: choose one with --config.")
    return _FOLDER if _FOLDER.is_dir() else _FILE


def config_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--config``, given to the command as ``config: Path``; the file may be absent."""
    return click.option(
        "--config",
        "-c",
        type=click.Path(path_type=Path),
        envvar="JUNBI_CONFIG",
        callback=_find,
        help="junbi.yaml, or a folder of such files.  [default: junbi.yaml or junbi.d/; $JUNBI_CONFIG]",
    )(command)


def cloud_options(port: int, data: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--port``, ``--data`` and ``--time-scale`` of whatever starts a local cloud, with these defaults."""
    options = (
        click.option(
            "--port",
            default=port,
            show_default=True,
            type=click.IntRange(0, 65535 - 5),
            help="The first of six ports in a row; 0 for any free ones.",
        ),
        click.option(
            "--data",
            default=Path(data),
            show_default=True,
            type=click.Path(path_type=Path),
            help="Where everything is kept; the same directory goes on where it was.",
        ),
        click.option(
            "--time-scale",
            default=1.0,
            show_default=True,
            type=click.FloatRange(0, 10_000, min_open=True),
            help="Emulated seconds in a real one.",
        ),
    )

    def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def environment_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--env``, given to the command as ``environment: str | None``."""
    return click.option("--env", "environment", metavar="NAME", help="Which of the environments in the file.")(command)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--json``, given to the command as ``as_json: bool``."""
    return click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")(command)
