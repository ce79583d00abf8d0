"""The settling times of a local cloud, whose signatures are valid for less and whose time may run fast."""

from __future__ import annotations

from datetime import timedelta

import pytest

from junbi.core.assumptions import Settling
from junbi.pipeline.wiring import settling


@pytest.mark.parametrize("scale", [0.5, 1, 60])
def test_every_part_runs_at_the_pace_of_the_local_time(monkeypatch: pytest.MonkeyPatch, scale: float) -> None:
    """'junbi up --time-scale 60': the clocks' difference and the listing's lag are real times, so all are 60 times."""
    monkeypatch.setenv("JUNBI_SIGNATURE_VALIDITY", str(15 * scale))
    seconds = [timedelta(seconds=count * scale) for count in (15, 1, 2)]
    found = settling()
    assert [found.signature_validity, found.skew, found.list_lag] == seconds
    assert found.time == timedelta(seconds=18 * scale)


def test_without_a_local_cloud_they_are_those_of_pai(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the environment: 15 minutes, and a minute for each of the others."""
    monkeypatch.delenv("JUNBI_SIGNATURE_VALIDITY", raising=False)
    assert settling() == Settling()
