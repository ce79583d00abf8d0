"""Who runs a command, and how its answer is told."""

from __future__ import annotations

import getpass
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from junbi.core.model import Reason

if TYPE_CHECKING:
    from junbi.core.facts import Launch


def name() -> str:
    """The user of this machine who runs the command, as the story will name them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"  # a container may run under a number that has no name


def answer(outcome: Launch | Reason, said: str, *, as_json: bool = False) -> int:
    """Tell what became of an act; the exit code: 1 where it was not done, with the reason."""
    if isinstance(outcome, Reason):
        text = f"{outcome.code}: {outcome.message}" + (f"\n  to do: {outcome.fix}" if outcome.fix else "")
        click.echo(json.dumps({"reason": asdict(outcome)}, ensure_ascii=False) if as_json else text, err=not as_json)
        return 1
    told: dict[str, Any] = {
        "launch": outcome.id,
        "plan": outcome.plan,
        "state": outcome.state.value,
        "rerun": outcome.rerun,
    }
    told |= {"pins": dict(outcome.pins), "params": dict(outcome.params), "identity": outcome.identity}
    click.echo(json.dumps(told, ensure_ascii=False) if as_json else said)
    return 0
