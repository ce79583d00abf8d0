"""Looks whether the datasets that a plan names by id are in the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.core import refusals
from junbi.core.rules.dataset_exists import Seen
from junbi.errors import Refused

if TYPE_CHECKING:
    from junbi.core.plan import ExistingDataset, PlanSpec
    from junbi.pipeline.wiring import Ports
    from junbi.wire.aiworkspace import GetDatasetResponse

#: What PAI calls the provider of the public datasets, which are of no workspace. Source: AIWorkSpace SDK 8.3.
_PUBLIC = "pai"


def seen(ports: Ports, plan: PlanSpec) -> dict[str, Seen]:
    """What PAI says of each of them, by name."""
    return {one.name: _look(ports, one) for one in plan.existing}


def _look(ports: Ports, existing: ExistingDataset) -> Seen:
    try:
        dataset = ports.workspace.get_dataset(existing.id)
    except Refused as error:
        return Seen(dataset=_no_or_unknown(error))
    if elsewhere := _elsewhere(ports, dataset):
        return Seen(dataset=True, elsewhere=elsewhere)
    try:
        ports.workspace.get_version(existing.id, existing.version)
    except Refused as error:
        return Seen(dataset=True, version=_no_or_unknown(error))
    return Seen(dataset=True, version=True)


def _elsewhere(ports: Ports, dataset: GetDatasetResponse) -> str:
    """The workspace that a dataset belongs to, where it is another and the dataset is neither shared nor public."""
    reachable = dataset.workspace_id in {None, "", ports.scope.workspace}
    return "" if reachable or dataset.is_shared or dataset.provider == _PUBLIC else dataset.workspace_id or ""


def _no_or_unknown(error: Refused) -> bool | None:
    """False where a refusal says that it is not there, None where it says that we may not look."""
    if refusals.lacks_right(error.code):
        return None
    if error.code not in refusals.DATASET_GONE | refusals.VERSION_GONE:
        raise error
    return False
