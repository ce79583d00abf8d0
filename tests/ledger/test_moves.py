"""The ledger saves no launch in a state that leads nowhere from the one it stands in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.ledger.test_row_versions import LAUNCH

from junbi.core.facts import LaunchState
from junbi.core.lifecycle import may_move
from junbi.errors import LedgerError, Stale

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger


@pytest.mark.parametrize("old", LaunchState)
def test_only_a_move_that_exists_is_saved(ledger: Ledger, old: LaunchState) -> None:
    """Those of the picture, and what else changes while the state stays; any other is a fault that changes nothing."""
    for new in LaunchState:
        launch = replace(LAUNCH, id=f"{old}-{new}", identity=f"{old}-{new}", state=old)
        ledger.launches.add(launch)
        wanted = replace(launch, state=new, job_id="dlc1", row=1)
        if new is old or may_move(old, new):
            ledger.launches.save(wanted)
            assert ledger.launches.get(launch.id) == replace(wanted, row=2)
            continue
        with pytest.raises(LedgerError, match=f"launch {launch.id} is {old} and cannot become {new}: it stays") as told:
            ledger.launches.save(wanted)
        assert told.type is LedgerError, "Stale would have it tried again"
        assert ledger.launches.get(launch.id) == replace(launch, row=1)


def test_who_comes_second_is_told_so_whatever_he_wanted(ledger: Ledger) -> None:
    """A decision upon a state that is past is no fault: it is made again, also where it is no move by now."""
    ledger.launches.add(LAUNCH)
    ledger.launches.save(replace(LAUNCH, state=LaunchState.CANCELLED, row=1))
    with pytest.raises(Stale):
        ledger.launches.save(replace(LAUNCH, state=LaunchState.SUBMITTING, row=1))
