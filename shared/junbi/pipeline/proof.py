"""Proves once more, when a job has ended, that what it trained on was what its launch is pinned to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.facts import InputKind
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.pipeline.launch_facts import prove

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.core.facts import Launch, Revision
    from junbi.pipeline.wiring import Ports


def look(ports: Ports, launch_id: str) -> datetime | None:
    """List every pinned prefix and note on the launch what changed while its job ran; its state stays as it is."""
    ledger = ports.ledger
    launch = ledger.launches.get(launch_id)
    if launch is None:
        return None
    inputs = {name: ledger.revisions.get(pin) for name, pin in launch.pins.items()}
    pinned = {name: one for name, one in inputs.items() if one.kind is InputKind.DATASET}
    several = len(pinned) > 1
    found = {name: prove(ports, one, _owner(launch, name), several=several) for name, one in pinned.items()}
    now = ledger.now()
    if None in found.values():
        return now  # the time was up: the next look goes on
    with ledger.transaction():
        for name, digest in found.items():
            ledger.scans.drop(_owner(launch, name))
            if digest != pinned[name].digest:
                _note(ports, launch, name, _changed(name, pinned[name], digest or ""), now)
    return None


def _owner(launch: Launch, name: str) -> str:
    return f"proof:{launch.id}:{name}"


def _note(ports: Ports, launch: Launch, name: str, reason: Reason, now: datetime) -> None:
    if ports.ledger.notes.add(launch.id, name, reason, now):
        ports.ledger.tell(f"launch:{launch.id}", reason.code, reason.message, now)


def _changed(name: str, revision: Revision, digest: str) -> Reason:
    return Reason(
        Code.DATA_CHANGED_DURING_RUN,
        f"oss://{revision.bucket}/{revision.prefix} changed between the submission of the job and its end: what was "
        f"trained on may be another thing than {name} {revision.label}.",
        fix="If that matters, upload a version that stays as it is, and let it be trained on.",
        facts={"pinned": revision.digest, "now": digest},
    )
