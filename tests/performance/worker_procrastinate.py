"""One worker of procrastinate that submits jobs: ``worker_procrastinate.py ADDRESS JOBS`` prints the seconds it took.

Each stores its try before the null CreateJob and the answer after it, as whoever must not launch twice has to.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time

import procrastinate
import psycopg

ADDRESS, JOBS = sys.argv[1], int(sys.argv[2])
TABLE = "CREATE TABLE IF NOT EXISTS try (number INTEGER PRIMARY KEY, nonce TEXT, job_id TEXT)"

logging.disable(logging.WARNING)
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=ADDRESS))
tries = psycopg.connect(ADDRESS, autocommit=True)


@app.task(queue="submit")
async def submit(number: int) -> None:
    """Store the try, call, store the answer."""
    tries.execute("INSERT INTO try VALUES (%s, %s, NULL)", (number, f"nonce-{number}"))
    job_id = f"dlc-{number}"
    tries.execute("UPDATE try SET job_id = %s WHERE number = %s", (job_id, number))


async def main() -> None:
    """Defer all of them, and work until none is left."""
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        tries.execute(TABLE)
        await submit.batch_defer_async(*[{"number": number} for number in range(JOBS)])
        start = time.perf_counter()
        await app.run_worker_async(queues=["submit"], wait=False, concurrency=1, listen_notify=False)
        print(time.perf_counter() - start)
    (done,) = tries.execute("SELECT COUNT(*) FROM try WHERE job_id IS NOT NULL").fetchone() or (0,)
    if done != JOBS:
        raise AssertionError(f"{done} of {JOBS} were done")


asyncio.run(main())
