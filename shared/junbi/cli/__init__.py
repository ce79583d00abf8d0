"""The command line: ``junbi <command>``. A command's module is imported only when the command runs.

Exit codes: 0 fine, 1 the answer is no, 2 usage, 3 could not find out.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import click

from junbi.errors import CallFailed, ConfigInvalid, JunbiError, LedgerError

if TYPE_CHECKING:
    from collections.abc import Sequence

NO, USAGE, COULD_NOT_FIND_OUT = 1, 2, 3
#: As a shell reports a process that Ctrl-C ended.
_INTERRUPTED = 130

#: Where each command is. Adding one is adding a line here.
COMMANDS = {
    "init": "junbi.cli.init:command",
    "lint": "junbi.cli.lint:command",
    "schema": "junbi.cli.schema:command",
    "diff": "junbi.cli.diff:command",
    "apply": "junbi.cli.apply:command",
    "migrate": "junbi.cli.migrate:command",
    "launches": "junbi.cli.launches:command",
    "inputs": "junbi.cli.inputs:command",
    "quotas": "junbi.cli.quotas:command",
    "deliveries": "junbi.cli.deliveries:command",
    "close": "junbi.cli.close:command",
    "launch": "junbi.cli.launch:command",
    "rerun": "junbi.cli.rerun:command",
    "cancel": "junbi.cli.cancel:command",
    "approve": "junbi.cli.approve:command",
    "freeze": "junbi.cli.freeze:command",
    "thaw": "junbi.cli.thaw:command",
    "logs": "junbi.cli.logs:command",
    "token": "junbi.cli.token:command",
    "up": "junbi.cli.up:command",
    "emulator": "junbi.cli.emulator:command",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every command's name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="junbi", message="%(prog)s %(version)s")
def cli() -> None:
    """Gets PAI training jobs ready and launches them, once, when what they need arrives."""


def main() -> None:
    """The entry of the ``junbi`` command."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str], command: click.Command = cli) -> int:
    """Runs a command and returns its exit code; errors are told on stderr.

    A command returns None for fine, or an exit code.
    """
    try:
        answer: Any = command.main(list(arguments), prog_name="junbi", standalone_mode=False)
    except click.ClickException as mistake:
        mistake.show()
        return mistake.exit_code if isinstance(mistake, click.UsageError) else COULD_NOT_FIND_OUT
    except click.Abort:
        return _INTERRUPTED
    except JunbiError as failure:
        click.echo(failure if isinstance(failure, ConfigInvalid) else f"junbi: {failure}", err=True)
        return _code(failure)
    return answer if isinstance(answer, int) else 0


def _code(failure: JunbiError) -> int:
    return COULD_NOT_FIND_OUT if isinstance(failure, CallFailed | LedgerError) else NO
