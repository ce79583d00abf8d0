"""What was accepted is at its end or will be looked at, and what is old is forgotten."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from junbi.core.facts import ArrivalState, LaunchState

if TYPE_CHECKING:
    import pytest
    from tests.pipeline.conftest import World


def drop_wake_ups(world: World) -> None:
    """What must never happen: every wake-up is lost."""
    world.database._connection().execute("DELETE FROM work")  # type: ignore[attr-defined]  # no statement does this


def test_bc_16_what_lost_its_wake_up_is_found_and_goes_on(world: World) -> None:
    """BC-16, BC-50, BC-119: an open upload and a waiting launch that nothing would look at are taken up, and told."""
    world.deliver(world.upload(marker=None))
    drop_wake_ups(world)
    world.advance(61)
    world.put("digits/v1/_SUCCESS", b"")
    world.records.clear()
    world.advance(61)
    answer = world.reconcile()
    assert answer["looked_at"]["woken"] == 1
    assert "WokenByAudit" in world.codes()
    assert world.until(LaunchState.SUCCEEDED)


def test_nothing_is_woken_where_all_is_well(world: World) -> None:
    """From the upload to the job's end, no audit finds anything."""
    world.deliver(world.upload())
    world.until(LaunchState.SUCCEEDED)
    world.settle()
    assert "WokenByAudit" not in world.codes()
    assert world.arrival().state is ArrivalState.CLOSED


def test_bc_37_a_tick_tells_how_far_it_is_behind(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """BC-37: what is due since long is a figure of every tick, and a warning in its log."""
    assert world.reconcile()["lag"] == 0
    world.ledger.worklist.ask("audit", "nothing-there", world.ledger.now() - timedelta(minutes=10))
    world.fault("nothing")
    answer = world.reconcile(world.ports(seconds=0.0))
    assert answer["lag"] > 500
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert any(entry["event"] == "reconcile falls behind" for entry in said)


def test_what_is_old_is_forgotten_by_a_tick(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once an hour, after so many days as are said; launches and versions stay."""
    monkeypatch.setenv("JUNBI_KEEP_DAYS", "30")
    world.deliver(world.upload())
    world.until(LaunchState.SUCCEEDED)
    world.settle()
    assert "ArrivalOpened" in world.codes()
    world.advance(40 * 86400)
    world.reconcile()
    assert "ArrivalOpened" not in world.codes()
    assert len(world.launches) == len(world.ledger.revisions.newest()) == 1
