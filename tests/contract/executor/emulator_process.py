"""An emulator reduced to OSS and pods, to be killed: runs one pod to its end, and takes up all that are unfinished.

python emulator_process.py <data directory> <pod id> <command> [<prefix>:<mount path>…]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from junbi.emulator.clock import Clock
from junbi.emulator.dlc.executor import LocalExecutor
from junbi.emulator.dlc.pods import Mount, PodSpec
from junbi.emulator.oss.state import Buckets


def main(directory: str, pod: str, command: str, *mounts: str) -> None:
    """Run the pod and wait until all have ended."""
    buckets = Buckets(Path(directory) / "oss", Clock())
    sys.stdout.write("up\n")
    sys.stdout.flush()
    executor = LocalExecutor(Path(directory) / "pods", buckets, sync_seconds=0.1)
    places = [each.split(":") for each in mounts]
    made = tuple(Mount(path, "lab-data", prefix, prefix.startswith("in")) for prefix, path in places)
    executor.prepare_and_start(PodSpec(pod, command, {}, made, 60.0))
    pods = [path.parent.name for path in (Path(directory) / "pods").glob("*/spec.json")]
    while not all(executor.state(each).status in {"Succeeded", "Failed"} for each in pods):
        time.sleep(0.02)
    executor.close()
    buckets.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
