"""``junbi launches``: every launch with the reason why it is not running."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from junbi.cli.options import json_option
from junbi.cli.table import moment, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


@click.command("launches")
@click.argument("launch_id", metavar="[LAUNCH]", required=False)
@json_option
def command(launch_id: str | None, *, as_json: bool) -> int:
    """List the newest launches, or show one with all its checks and its story."""
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import launch_views, views

    ledger = open_ledger(make=False)
    if launch_id:
        view = launch_views.launch(ledger, launch_id)
    else:
        view = {**launch_views.launches(ledger), **views.plans(ledger)}
    if view is None:
        click.echo(f"junbi: the ledger has no launch {launch_id}. 'junbi launches' lists them.", err=True)
        return 1
    if as_json:
        click.echo(json.dumps(view, ensure_ascii=False, indent=2))
    else:
        click.echo(_one(view) if launch_id else _all(view))
    return 0


def _all(view: Mapping[str, Any]) -> str:
    waiting = [f"{plan['name']} waits for a first version of {_and(plan['waits_for'])}." for plan in _waiting(view)]
    return "\n".join([_table(view), *(["", *waiting] if waiting else [])])


def _waiting(view: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [plan for plan in view["plans"] if plan["waits_for"]]


def _and(names: Sequence[str]) -> str:
    return " and ".join(names)


def _table(view: Mapping[str, Any]) -> str:
    if not view["launches"]:
        return "No launches yet. One is made when an input that is in 'on' of a plan has a new version."
    heads = ("LAUNCH", "PLAN", "TRAINS ON", "STATE", "JOB", "WHY")
    rows = [
        (one["id"], one["plan"], _pins(one), one["state"], (one["job"] or {}).get("id", ""), _why(one))
        for one in view["launches"]
    ]
    more = view["total"] - len(rows)
    return table(heads, rows) + (f"\n… and {more} older ones" if more else "")


def _one(view: Mapping[str, Any]) -> str:
    reason = view["reason"] or {}
    job = f"job {view['job']['id']}, {view['job']['status']}" if view["job"] else "no job yet"
    lines = [f"{view['id']} of {view['plan']}: {view['state']}, {job}", f"trains on {_pins(view)}"]
    lines += [f"{reason['code']}: {reason['message']}"] if reason else []
    lines += [f"  to do: {reason['fix']}"] if reason.get("fix") else []
    lines += [f"{note['reason']['code']}: {note['reason']['message']}" for note in view["notes"]]
    lines += [f"  woken by: {reason['wakes']}"] if reason.get("wakes") else []
    checks = [(one["name"], one["state"], (one["reason"] or {}).get("message", "")) for one in view["checks"]]
    story = [(moment(one["at"]), one["message"]) for one in view["story"]]
    return "\n".join([*lines, "", table(("CHECK", "STATE", ""), checks), "", table(("WHEN (UTC)", "WHAT"), story)])


def _pins(view: Mapping[str, Any]) -> str:
    pins = [f"{name} {pin['label']}" for name, pin in view["trains_on"].items()]
    return ", ".join([*pins, *(f"{name} {it['version_name']}" for name, it in view["mounts"].items())])


def _why(view: Mapping[str, Any]) -> str:
    problem = (view["next_look"] or {}).get("problem")
    reason = view["reason"]
    return f"{reason['code']}: {reason['message']}" if reason else problem or ""
