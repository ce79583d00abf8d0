"""Writes to local OSS directories and is killed: at any time from outside, or by itself at every step in turn.

``forever DIR`` writes until it is killed. ``steps DIR`` makes DIR/1, DIR/2, …: in each a child does the same writes
and kills itself just before its 1st, 2nd, … file operation, until one lives to the end.
"""

from __future__ import annotations

import io
import itertools
import os
import signal
import sys
from pathlib import Path

from junbi.emulator.clock import Clock
from junbi.emulator.oss.appends import append
from junbi.emulator.oss.state import Buckets
from junbi.emulator.oss.uploads import Uploads

FILE_OPERATIONS = {"open", "os.remove", "os.link"}


def write(buckets: Buckets, number: int) -> None:
    """Whole objects, appends, copies, uploads and deletions, once each."""
    body = bytes([65 + number % 26]) * 50_000
    buckets.put("vision-data", "whole", io.BytesIO(body))
    buckets.copy(("vision-data", "whole"), ("vision-data", "copy"))
    log = next(buckets.list("vision-data", "log"), None)
    draft = buckets.receive("vision-data", "log", [body])
    append(buckets, "vision-data", "log", log.size if log else 0, draft, headers={})
    uploads = Uploads(buckets)
    upload = uploads.start("vision-data", "parts", {})
    for _ in range(2):
        uploads.put_part(upload, 1, buckets.receive("vision-data", "parts", [body]))
    uploads.complete(upload, None)
    uploads.abort(uploads.start("vision-data", "parts", {}))
    buckets.delete("vision-data", "copy")


def forever(directory: Path) -> None:
    """Until it is killed."""
    buckets = Buckets(directory, Clock())
    buckets.create_bucket("vision-data")
    for number in itertools.count():
        write(buckets, number)
        if number % 10 == 9:
            buckets.delete("vision-data", "log")
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def kill_before(step: int) -> None:
    """Kill this process just before its file operation of that number."""
    steps = itertools.count(1)

    def hook(event: str, _: object) -> None:
        if event in FILE_OPERATIONS and next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def steps(directory: Path) -> None:
    """Every step once."""
    for step in itertools.count(1):
        child = os.fork()
        if child == 0:
            buckets = Buckets(directory / str(step), Clock())
            buckets.create_bucket("vision-data")
            write(buckets, 0)
            kill_before(step)
            write(buckets, 1)
            os._exit(0)
        if os.waitpid(child, 0)[1] != signal.SIGKILL:
            return


if __name__ == "__main__":
    {"forever": forever, "steps": steps}[sys.argv[1]](Path(sys.argv[2]))
