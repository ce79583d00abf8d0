"""Why a watch is not as it should be: events that do not come, and objects in no version's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core.model import Reason
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.plan import DatasetSpec
    from junbi.ledger.ledger import Ledger


def reasons(ledger: Ledger, dataset: DatasetSpec) -> list[Reason]:
    """What is wrong with a watch as a whole, none for nothing."""
    return [found for found in (_unheard(ledger, dataset), _stray(ledger, dataset)) if found is not None]


def _unheard(ledger: Ledger, dataset: DatasetSpec) -> Reason | None:
    hearing, watch = ledger.sightings.hearing(dataset.name), dataset.watch
    if hearing is None or not hearing.missed:
        return None
    since = f"since {hearing.heard_at:%Y-%m-%d %H:%M} UTC" if hearing.heard_at else "and never any before"
    return Reason(
        Code.NO_EVENTS,
        f"The timer found {hearing.missed} change(s) of {dataset.name} that no event told of; none came {since}.",
        fix=f"Look whether the OSS trigger of the function oss_upload is there and switched on, for the bucket "
        f"{watch.bucket} and the prefix {watch.root}. Until then changes are found minutes late.",
        wakes="the next event",
    )


def _stray(ledger: Ledger, dataset: DatasetSpec) -> Reason | None:
    stray, watch = ledger.sightings.stray(dataset.name), dataset.watch
    if stray is None:
        return None
    return Reason(
        Code.NOT_WATCHED,
        f"{stray.times} object(s) lie directly under oss://{stray.bucket}/{watch.root}, in no version's folder, and "
        f"are part of no version. The last one: {stray.key}.",
        fix=f"Upload into a folder of the version's name, such as oss://{stray.bucket}/{watch.root}v1/, and delete "
        "those objects.",
        wakes="a listing every few seconds",
    )
