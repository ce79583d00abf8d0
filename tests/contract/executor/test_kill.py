"""kill -9 of the emulator at any moment: every pod still runs, and runs once."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.contract.executor.conftest import Lab

#: Files of a pod that mark how far it is; each is waited for in turn, and the kill follows at a random moment.
STAGES = ("", "spec.json", "mounts/0", "prepared", "supervisor.log", "claim", "started.json", "outcome.json")
LIVES = 24
PROCESS = str(Path(__file__).parent / "emulator_process.py")


def emulator(lab: Lab, pod: str, count: Path) -> subprocess.Popen[str]:
    """An emulator that runs one more pod, whose command counts its own starts outside of every mount."""
    command = f"echo {pod} >> {count}; sleep 0.1; cat /mnt/in/* | wc -c > /mnt/out/size"
    mounts = ["in/:/mnt/in", f"out/{pod}/:/mnt/out"]
    return subprocess.Popen(
        [sys.executable, PROCESS, str(lab.directory), pod, command, *mounts], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_every_pod_runs_once(mapped_lab: Lab) -> None:
    """Killed at random moments of a pod's life and started again, the emulator runs each pod once and to its end."""
    for number in range(30):
        mapped_lab.put(f"in/{number:02}", bytes(50_000))
    mapped_lab.buckets.close()
    count = mapped_lab.directory / "count"
    moments = random.Random(7)
    for number in range(LIVES):
        pod = f"job-worker-{number}"
        with emulator(mapped_lab, pod, count) as life:
            assert life.stdout is not None
            life.stdout.readline()
            mapped_lab.until((mapped_lab.pods / pod / STAGES[number % len(STAGES)]).exists, pod)
            time.sleep(moments.uniform(0, 0.03))
            life.send_signal(signal.SIGKILL)
    with emulator(mapped_lab, "last", count) as life:
        try:
            assert life.wait(timeout=60) == 0
        finally:
            life.kill()
    mapped_lab.__post_init__()
    # A life may be killed before its pod was promised to anybody; then nothing of it may have run either.
    promised = {path.parent.name for path in mapped_lab.pods.glob("*/spec.json")}
    assert sorted(count.read_text().split()) == sorted(promised)
    assert len(promised) > LIVES - LIVES // len(STAGES)
    for pod in promised:
        assert mapped_lab.executor.state(pod).status == "Succeeded", mapped_lab.told(pod)
        assert mapped_lab.get(f"out/{pod}/size").strip() == b"1500000"
