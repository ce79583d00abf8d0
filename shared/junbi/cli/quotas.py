"""``junbi quotas``: PAI's resource quotas as they were read last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from junbi.cli.options import json_option
from junbi.cli.table import moment, table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@click.command("quotas")
@json_option
def command(*, as_json: bool) -> int:
    """List the resource quotas of every kind: what is used of each, how many launches of ours are in it and wait."""
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import quota_views

    view = quota_views.quotas(open_ledger(make=False))
    click.echo(json.dumps(view, ensure_ascii=False, indent=2) if as_json else _text(view))
    return 0


def _text(view: Mapping[str, Any]) -> str:
    parts = []
    if view["quotas"]:
        heads = ("QUOTA", "NAME", "KIND", "STATUS", "PARENT", "USED", "OURS", "READ (UTC)")
        parts.append(table(heads, [_quota(one) for one in view["quotas"]]))
    elif any(one["read_at"] for one in view["readings"]):
        parts.append(f"PAI shows no quota in {view['region']}.")
    parts += [_unread(one) for one in view["readings"] if one["problem"]]
    return "\n\n".join(parts) or "The quotas were not read yet. The timer of the function quota_change reads them."


def _quota(one: Mapping[str, Any]) -> tuple[str, ...]:
    status = f"gone since {moment(one['gone_at'])}" if one["gone_at"] else one["status"] or "not told"
    used = [
        f"{amounts['used'] or '?'} of {amounts['allocatable'] or '?'} {name}"
        for name, amounts in one["resources"].items()
    ]
    ours = f"{one['line']['counts']['in']} in it, {one['line']['counts']['waiting']} waiting"
    return (
        one["id"],
        one["name"],
        one["kind"],
        status,
        one["parent"] or "",
        ", ".join(used),
        ours,
        moment(one["read_at"]),
    )


def _unread(one: Mapping[str, Any]) -> str:
    since = f"what is shown was read at {moment(one['read_at'])} UTC" if one["read_at"] else "none was ever read"
    return (
        f"{one['kind']} quotas could not be read: {one['problem']}\n  Of this kind {since}; the next tick tries again."
    )
