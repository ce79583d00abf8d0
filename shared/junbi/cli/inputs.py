"""``junbi inputs``: the dataset versions there are, and the uploads that are none (yet) and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from junbi.cli.options import json_option
from junbi.cli.table import table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@click.command("inputs")
@json_option
def command(*, as_json: bool) -> int:
    """List dataset versions with their registration in PAI, and uploads that are not closed with the reason."""
    from junbi.core.facts import ArrivalState
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import input_views, line_views

    ledger = open_ledger(make=False)
    open_states = [state for state in ArrivalState if state is not ArrivalState.CLOSED]
    view = {
        "datasets": input_views.watched(ledger),
        "existing": input_views.existing(ledger),
        "code": line_views.code(ledger),
        "images": line_views.images(ledger),
        **input_views.revisions(ledger),
        "uploads": [one for one in input_views.arrivals(ledger, open_states)["arrivals"] if not _is_empty(one)],
    }
    click.echo(json.dumps(view, ensure_ascii=False, indent=2) if as_json else _text(view))
    return 0


def _is_empty(upload: Mapping[str, Any]) -> bool:
    """Whether nothing is left of an upload: there is nothing to do about it."""
    return bool(upload["state"] == "ignored" and upload["reason"] and upload["reason"]["code"] == "NoObjectYet")


def _text(view: Mapping[str, Any]) -> str:
    parts = []
    found = [reason for one in view["datasets"] for reason in (one["reason"], *one["findings"]) if reason]
    if found:
        parts.append("\n".join(f"{reason['code']}: {reason['message']}\n  {reason['fix']}" for reason in found))
    if view["revisions"]:
        heads = ("INPUT", "VERSION", "OBJECTS", "BYTES", "IN PAI AS", "WHERE")
        parts.append(table(heads, [_revision(one) for one in view["revisions"]]))
    if view["existing"]:
        parts.append(
            table(("EXISTING DATASET", "IN PAI AS", "MOUNTED BY"), [_existing(one) for one in view["existing"]])
        )
    for kind in ("code", "image"):
        lines = view["code" if kind == "code" else "images"]
        if lines:
            parts.append(
                table((kind.upper(), "TRAINS WITH", "REPOSITORY", "WHY NOT"), [_line(kind, one) for one in lines])
            )
    if view["uploads"]:
        parts.append(table(("UPLOAD", "STATE", "WHY"), [_upload(one) for one in view["uploads"]]))
    return "\n\n".join(parts) or "Nothing has arrived under a watched prefix yet."


def _revision(one: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        one["dataset"],
        one["label"],
        f"{one['members']:,}" if one["kind"] == "dataset" else "",
        f"{one['size']:,}" if one["kind"] == "dataset" else "",
        _registered(one),
        one["uri"],
    )


def _registered(one: Mapping[str, Any]) -> str:
    registration = one["registration"]
    if registration["version_name"]:
        return f"{registration['dataset_id']} {registration['version_name']}"
    without = "not registered" if one["kind"] == "image" else "gone"  # an image is pulled as it is
    return without if registration["state"] == "done" else str(registration["state"])


def _existing(one: Mapping[str, Any]) -> tuple[str, ...]:
    return one["dataset"], f"{one['dataset_id']} {one['version_name']}", ", ".join(one["plans"]) or "no plan"


def _line(kind: str, one: Mapping[str, Any]) -> tuple[str, ...]:
    reason, problem = one["reason"], (one["next_look"] or {}).get("problem")
    told = f"{reason['code']}: {reason['message']}" if reason else problem or ""
    return one[kind], one["trains_with"]["label"] if one["trains_with"] else "nothing yet", one["repository"], told


def _upload(one: Mapping[str, Any]) -> tuple[str, ...]:
    reason = one["reason"]
    problem = (one["next_look"] or {}).get("problem")
    return one["uri"], one["state"], f"{reason['code']}: {reason['message']}" if reason else problem or ""
