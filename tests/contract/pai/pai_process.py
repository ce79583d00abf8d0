"""A local PAI in a process of its own, for tests that kill it: ``pai_process.py <directory>`` prints its port."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from junbi.emulator.clock import Clock
from junbi.emulator.dlc.executor import LocalExecutor
from junbi.emulator.dlc.scheduler import Pace
from junbi.emulator.dlc.state import DlcState
from junbi.emulator.faults import Faults
from junbi.emulator.keys import AccessKey, Keys
from junbi.emulator.oss.state import Buckets
from junbi.emulator.pai import create_app
from junbi.emulator.records import Records
from junbi.emulator.server import Server
from junbi.emulator.workspace.state import WorkspaceState


def main(directory: Path) -> None:
    """Serve until killed."""
    clock, records = Clock(), Records(directory / "pai.sqlite3")
    buckets = Buckets(directory / "oss", clock)
    buckets.create_bucket("vision-data")
    executor = LocalExecutor(directory / "pods", buckets, sync_seconds=0.2, grace_seconds=0.5)
    workspace = WorkspaceState(records, clock)
    dlc = DlcState(records, clock, workspace, executor, pace=Pace(0.1, 0.1, 0.1))
    dlc.scheduler.start(every=0.05)
    keys = Keys(AccessKey("emulator", "emulator-secret"), clock)
    app = create_app(records=records, keys=keys, clock=clock, faults=Faults(), workspace=workspace, dlc=dlc)
    sys.stdout.write(f"{Server(app).port}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
