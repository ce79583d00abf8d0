"""How values become columns and come back: times, reasons, checks, documents."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from junbi.core.facts import (
    Arrival,
    ArrivalState,
    CreateState,
    InputKind,
    Launch,
    LaunchState,
    Registration,
    Revision,
    Stop,
    Try,
)
from junbi.core.model import Check, Reason, State
from junbi.core.plan import PlanSpec
from junbi.errors import LedgerUnknown

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = dict[str, Any]


def to_time(moment: datetime) -> str:
    """A moment as text that sorts: UTC, microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def from_time(text: str) -> datetime:
    """The moment back."""
    return datetime.fromisoformat(text)


def to_json(value: Any) -> str:
    """A document as text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def to_reason(reason: Reason | None) -> str | None:
    """A reason as text, None for none."""
    return None if reason is None else to_json(_members(reason))


def from_reason(text: str | None) -> Reason | None:
    """The reason back."""
    return None if text is None else Reason(**json.loads(text))


def to_checks(checks: Iterable[Check]) -> str:
    """Checks as text."""
    return json.dumps(list(checks), ensure_ascii=False, sort_keys=True, default=_members)


def _members(one: Any) -> Row:
    """A dataclass as a document: ``asdict`` copies all that is in it, which costs more than all else of a save."""
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


def from_checks(text: str) -> tuple[Check, ...]:
    """The checks back."""
    return tuple(
        Check(item["name"], State(item["state"]), Reason(**item["reason"]) if item["reason"] else None)
        for item in json.loads(text)
    )


def own(kind: type[Any], row: Row) -> Row:
    """The columns that a dataclass has: one that a newer junbi added is not ours to see."""
    return {name: row[name] for name in kind.__dataclass_fields__}


def known(enum: type[Any], value: str, what: str) -> Any:
    """A state by its name. LedgerUnknown where a newer junbi wrote it: the row is left alone."""
    try:
        return enum(value)
    except ValueError:
        raise LedgerUnknown(f"{what} has the state {value!r}, which this junbi does not know; left alone.") from None


def arrival(row: Row) -> Arrival:
    """An arrival from its row."""
    return Arrival(
        key=row["key"],
        dataset=row["dataset"],
        bucket=row["bucket"],
        prefix=row["prefix"],
        captures=json.loads(row["captures"]),
        state=known(ArrivalState, row["state"], f"arrival {row['key']}"),
        opened_at=from_time(row["opened_at"]),
        noted_at=from_time(row["noted_at"]),
        found=bool(row["found"]),
        dirty=bool(row["dirty"]),
        reason=from_reason(row["reason"]),
        revision=row["revision"],
        called_at=from_time(row["called_at"]) if row["called_at"] else None,
        row=row["row"],
    )


def arrival_columns(arrival: Arrival) -> Row:
    """An arrival's columns."""
    return {
        "key": arrival.key,
        "dataset": arrival.dataset,
        "bucket": arrival.bucket,
        "prefix": arrival.prefix,
        "captures": to_json(arrival.captures),
        "state": arrival.state.value,
        "opened_at": to_time(arrival.opened_at),
        "noted_at": to_time(arrival.noted_at),
        "found": int(arrival.found),
        "dirty": int(arrival.dirty),
        "reason": to_reason(arrival.reason),
        "revision": arrival.revision,
        "called_at": to_time(arrival.called_at) if arrival.called_at else None,
        "row": arrival.row,
    }


def revision(row: Row) -> Revision:
    """A revision from its row."""
    times = {name: from_time(row[name]) for name in ("newest_at", "created_at")}
    kind = known(InputKind, row["kind"], f"revision {row['id']}")
    return Revision(**{**own(Revision, row), **times, "captures": json.loads(row["captures"]), "kind": kind})


def revision_columns(revision: Revision) -> Row:
    """A revision's columns."""
    times = {"newest_at": to_time(revision.newest_at), "created_at": to_time(revision.created_at)}
    return {**asdict(revision), **times, "captures": to_json(revision.captures), "kind": revision.kind.value}


def registration(row: Row) -> Registration:
    """A registration from its row."""
    state = known(CreateState, row["state"], f"registration {row['revision']}")
    return Registration(**{**own(Registration, row), "state": state, "reason": from_reason(row["reason"])})


def registration_columns(registration: Registration) -> Row:
    """A registration's columns."""
    return {
        **asdict(registration),
        "state": registration.state.value,
        "reason": to_reason(registration.reason),
    }


def launch(row: Row) -> Launch:
    """A launch from its row."""
    return Launch(
        id=row["id"],
        plan=row["plan"],
        identity=row["identity"],
        rerun=row["rerun"],
        trigger=row["trigger_key"],
        pins=json.loads(row["pins"]),
        params=json.loads(row["params"]),
        spec=PlanSpec.model_validate_json(row["spec"]),
        generation=row["generation"],
        state=known(LaunchState, row["state"], f"launch {row['id']}"),
        created_at=from_time(row["created_at"]),
        updated_at=from_time(row["updated_at"]),
        job_id=row["job_id"],
        job_status=row["job_status"],
        reason=from_reason(row["reason"]),
        checks=from_checks(row["checks"]),
        made_by=row["made_by"],
        approved_by=row["approved_by"],
        attempt=row["attempt"],
        not_before=_from_time_or_none(row["not_before"]),
        since=_from_time_or_none(row["since"]),
        stop=_from_stop(row["stop"]),
        row=row["row"],
    )


def launch_columns(launch: Launch) -> Row:
    """A launch's columns."""
    return {
        "id": launch.id,
        "plan": launch.plan,
        "identity": launch.identity,
        "rerun": launch.rerun,
        "trigger_key": launch.trigger,
        "pins": to_json(launch.pins),
        "params": to_json(launch.params),
        "spec": launch.spec.model_dump_json(),
        "generation": launch.generation,
        "state": launch.state.value,
        "job_id": launch.job_id,
        "job_status": launch.job_status,
        "reason": to_reason(launch.reason),
        "checks": to_checks(launch.checks),
        "made_by": launch.made_by,
        "approved_by": launch.approved_by,
        "attempt": launch.attempt,
        "not_before": _to_time_or_empty(launch.not_before),
        "since": _to_time_or_empty(launch.since),
        "stop": _to_stop(launch.stop),
        "created_at": to_time(launch.created_at),
        "updated_at": to_time(launch.updated_at),
        "row": launch.row,
    }


def _to_time_or_empty(moment: datetime | None) -> str:
    return to_time(moment) if moment else ""


def _from_time_or_none(text: str) -> datetime | None:
    return from_time(text) if text else None


def _to_stop(stop: Stop | None) -> str | None:
    return None if stop is None else to_json({**asdict(stop), "at": to_time(stop.at)})


def _from_stop(text: str | None) -> Stop | None:
    if text is None:
        return None
    row = json.loads(text)
    return Stop(Reason(**row["reason"]), from_time(row["at"]), row["by"], row["retry"])


def one_try(row: Row) -> Try:
    """A try from its row."""
    return Try(**{**own(Try, row), "stored_at": from_time(row["stored_at"])})
