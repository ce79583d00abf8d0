"""A dataset that a plan names by its id is in the workspace, with the version that is to be mounted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.core.model import Check, Reason, State
from junbi.core.reasons import Code

if TYPE_CHECKING:
    from junbi.core.plan import ExistingDataset


@dataclass(frozen=True, slots=True)
class Seen:
    """What PAI says of such a dataset.

    Attributes:
        dataset, version: whether each is there; None where we may not look.
        elsewhere: the workspace that it belongs to and is not shared from, where that is another than the plan's.
    """

    dataset: bool | None
    version: bool | None = None
    elsewhere: str = ""


def check(existing: ExistingDataset, seen: Seen) -> Check:
    """Blocked where dataset or version is not in the workspace; Unknown where we may not look."""
    label = f"dataset {existing.name}"
    if seen.dataset is None or (seen.dataset and not seen.elsewhere and seen.version is None):
        action = "GetDataset" if seen.dataset is None else "GetDatasetVersion"
        reason = Reason(
            Code.DATASET_NOT_FOUND,
            f"We may not read dataset {existing.id} {existing.version}, which {existing.name} is.",
            fix=f"Grant paidataset:{action} to the role of the function 'reconcile'.",
        )
        return Check(label, State.UNKNOWN, reason)
    if not seen.dataset:
        said, what = f"does not exist: PAI has no dataset {existing.id}", "id"
    elif seen.elsewhere:
        said, what = f"is of another workspace: {existing.id} is in {seen.elsewhere}", "id"
    elif not seen.version:
        said, what = f"has no version {existing.version}: dataset {existing.id} has others", "version"
    else:
        return Check(label, State.READY)
    reason = Reason(
        Code.DATASET_NOT_FOUND,
        f"{existing.name} {said}.",
        fix=f"Correct datasets.{existing.name}.{what} in junbi.yaml, then run 'junbi apply'; or create it in PAI.",
        wakes="the next apply, or a look every few minutes",
    )
    return Check(label, State.BLOCKED, reason)
