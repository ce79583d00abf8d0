"""The jobs of the emulated DLC, kept in Records; every change is durable when it returns."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from junbi.emulator.api_error import not_found
from junbi.emulator.dlc.job import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.emulator.records import Records

_KIND = "dlc-job"


class Jobs:
    """Jobs by id. Safe to use from many threads.

    Args:
        records: where they are kept.
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self._lock = threading.Lock()
        self._active = {job.job_id for job in self.all() if not job.terminal}

    def add(self, job: Job) -> None:
        """Keep a new job."""
        self._records.put(_KIND, job.job_id, job.document())
        with self._lock:
            self._active.add(job.job_id)

    def find(self, job_id: str) -> Job | None:
        """The job, or None."""
        document = self._records.get(_KIND, job_id)
        return Job.of(document) if document else None

    def get(self, job_id: str) -> Job:
        """The job; ApiError where it does not exist."""
        job = self.find(job_id)
        if job is None:
            raise not_found(f"Job {job_id}")
        return job

    def all(self) -> list[Job]:
        """Every job, by id."""
        return [Job.of(document) for document in self._records.all(_KIND)]

    def active(self) -> list[Job]:
        """Those that have not ended."""
        with self._lock:
            ids = sorted(self._active)
        return [job for job in map(self.find, ids) if job is not None]

    def change(self, job_id: str, change: Callable[[Job], None]) -> Job:
        """Change a job as it stands now, alone; nothing is kept where the change raises."""
        with self._records.transaction():
            job = self.get(job_id)
            change(job)
            self._records.put(_KIND, job_id, job.document())
        if job.terminal:
            self._forget(job_id)
        return job

    def delete(self, job_id: str) -> None:
        """Forget a job."""
        self._records.delete(_KIND, job_id)
        self._forget(job_id)

    def _forget(self, job_id: str) -> None:
        with self._lock:
            self._active.discard(job_id)
