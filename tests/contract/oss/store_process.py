"""Writes to a directory until it is killed: whole objects, appends, copies, uploads and deletions."""

from __future__ import annotations

import io
import itertools
import sys
from pathlib import Path

from junbi.emulator.clock import Clock
from junbi.emulator.oss.appends import append
from junbi.emulator.oss.state import Buckets
from junbi.emulator.oss.uploads import Uploads

buckets = Buckets(Path(sys.argv[1]), Clock())
uploads = Uploads(buckets)
buckets.create_bucket("vision-data")
for number in itertools.count():
    body = bytes([65 + number % 26]) * 300_000
    buckets.put("vision-data", "whole", io.BytesIO(body))
    buckets.copy(("vision-data", "whole"), ("vision-data", "copy"))
    log = next(buckets.list("vision-data", "log"), None)
    draft = buckets.receive("vision-data", "log", [body])
    append(buckets, "vision-data", "log", log.size if log else 0, draft, headers={})
    upload = uploads.start("vision-data", "parts", {})
    uploads.put_part(upload, 1, buckets.receive("vision-data", "parts", [body]))
    uploads.complete(upload, None)
    buckets.delete("vision-data", "copy")
    if log and log.size > 3_000_000:
        buckets.delete("vision-data", "log")
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()
