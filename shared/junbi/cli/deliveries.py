"""``junbi deliveries``: what webhooks delivered, what it came to, and what was refused and why."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING

import click

from junbi.cli.options import json_option
from junbi.cli.table import moment, table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@click.command("deliveries")
@json_option
def command(*, as_json: bool) -> int:
    """List the deliveries of webhooks, newest first: what each came to, why others were refused, what to put right."""
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import delivery_views

    view = delivery_views.deliveries(open_ledger(make=False))
    click.echo(json.dumps(view, ensure_ascii=False, indent=2) if as_json else _text(view))
    return 0


def _text(view: Mapping[str, Any]) -> str:
    parts = []
    if view["deliveries"]:
        rows = [_delivery(one) for one in view["deliveries"]]
        parts.append(table(("WHEN (UTC)", "FROM", "TIMES", "NOTED", "IGNORED"), rows))
    if view["refused_counts"]:
        rows = [
            (one["endpoint"], one["code"], f"{one['times']:,}", moment(one["last_at"]))
            for one in view["refused_counts"]
        ]
        parts.append(table(("REFUSED BY", "WHY", "TIMES", "LAST (UTC)"), rows))
    last = {(one["endpoint"], one["reason"]["code"]): one for one in reversed(view["refused"])}
    parts += [_refused(one) for one in sorted(last.values(), key=itemgetter("at"), reverse=True)]
    return "\n\n".join(parts) or "No webhook has delivered anything yet."


def _refused(one: Mapping[str, Any]) -> str:
    """The last that was refused for one reason, with what can be compared at the sender."""
    why = one["reason"]
    lines = [f"{one['endpoint']}, {moment(one['at'])} UTC: {why['code']}", why["message"], why["fix"]]
    facts = [f"{name}: {fact}" for name, fact in why["facts"].items()]
    return "\n  ".join(filter(None, [*lines, *facts]))


def _delivery(one: Mapping[str, Any]) -> tuple[str, ...]:
    outcome = one["outcome"]
    noted, ignored = ", ".join(outcome.get("noted", [])), "; ".join(outcome.get("ignored", {}))
    return moment(one["at"]), f"{one['source']} ({one['endpoint']})", f"{one['times']:,}", noted or "nothing", ignored
