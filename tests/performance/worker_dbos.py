"""One worker of DBOS that submits jobs: ``worker_dbos.py ADDRESS JOBS`` prints the seconds it took.

Each is a workflow of two steps, a try and the null CreateJob, whose results DBOS stores.
"""

from __future__ import annotations

import sys
import time

from dbos import DBOS

ADDRESS, JOBS = sys.argv[1], int(sys.argv[2])

DBOS(config={"name": "peer", "system_database_url": ADDRESS, "log_level": "ERROR", "run_admin_server": False})


@DBOS.step()
def make_try(number: int) -> str:
    """What the call is signed with."""
    return f"nonce-{number}"


@DBOS.step()
def create_job(nonce: str) -> str:
    """The null CreateJob."""
    return f"dlc-{nonce}"


@DBOS.workflow()
def submit(number: int) -> str:
    """Store the try, call, store the answer."""
    return create_job(make_try(number))


DBOS.launch()
submit(-1)
start = time.perf_counter()
for one in range(JOBS):
    submit(one)
print(time.perf_counter() - start)
DBOS.destroy()
