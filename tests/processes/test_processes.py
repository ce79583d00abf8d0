"""Real workers and clients on one real PostgreSQL, killed, paused and cut off: everything is made exactly once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes.broken import NoSettling, NothingHeld, TriesForgotten
from tests.processes.plan import SHORT, draw

ROOT = Path(__file__).parents[2]


def chaos(seed: int, variant: str = "Sound") -> subprocess.CompletedProcess[str]:
    """A short run, as ``make chaos`` starts long ones."""
    command = [sys.executable, "-m", "tests.processes", "--short", "--seed", str(seed), "--variant", variant]
    environment = os.environ | {"ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_made_twice() -> None:
    """4 workers and 32 clients; SIGKILL, SIGSTOP for longer than a lease, restarts and crashes of the server, cut
    connections, creates that lose their answers: one job for each launch, one version for each upload, all ended.
    """
    done = chaos(seed=7)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 problems" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("variant", [NothingHeld, TriesForgotten, NoSettling], ids=lambda variant: variant.__name__)
def test_a_broken_variant_is_found(variant: type) -> None:
    """Without this protection there are two jobs of one launch, and the checker says so."""
    done = chaos(3, variant.__name__)
    assert done.returncode == 1, f"{variant.__doc__}\n{done.stdout}{done.stderr}"
    assert "jobs of one" in done.stdout


def test_a_seed_is_a_plan() -> None:
    """The same seed strikes the same at the same moments, another one does not; no kind of strike is left out."""
    plan = draw(7, SHORT)
    assert plan == draw(7, SHORT)
    assert plan.strikes != draw(8, SHORT).strikes
    assert {strike.kind for strike in plan.strikes} == set(SHORT.every)
    assert plan.deliveries("set0/v0/_SUCCESS") == draw(7, SHORT).deliveries("set0/v0/_SUCCESS")


def test_every_event_is_delivered_at_once_and_again() -> None:
    """Each event reaches a door at once, and again and later through others."""
    deliveries = draw(7, SHORT).deliveries("set0/v0/_SUCCESS")
    assert deliveries[0][0] == 0
    assert len(deliveries) == SHORT.copies
    assert {process for _, process in deliveries} <= set(range(SHORT.client_processes))
