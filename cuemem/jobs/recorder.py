"""Writes the records of jobs behind the scenes: a page must not wait for the store's one writer."""

from __future__ import annotations

import logging
import threading

from cuemem.errors import CueMemError
from cuemem.ports import JobLog, JobRecord

_log = logging.getLogger(__name__)


class Recorder:
    """Keeps the newest record of each job. A thread writes them while there are any, and then ends."""

    def __init__(self, log: JobLog) -> None:
        self._log = log
        self._pending: dict[str, JobRecord | None] = {}  # None: forget the job
        self._writing = False
        self._changed = threading.Condition()

    def save(self, record: JobRecord) -> None:
        """Write this record soon, instead of an older one of the job that is not written yet."""
        self._add(record.job_id, record)

    def remove(self, job_id: str) -> None:
        """Forget the job soon."""
        self._add(job_id, None)

    def flush(self, timeout: float) -> bool:
        """Wait until all is written, but not longer than so many seconds; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._pending and not self._writing, timeout)

    def _add(self, job_id: str, record: JobRecord | None) -> None:
        with self._changed:
            self._pending[job_id] = record
            if not self._writing:
                self._writing = True
                threading.Thread(target=self._write, name="job recorder", daemon=True).start()

    def _write(self) -> None:
        try:
            while (entry := self._next()) is not None:
                self._write_one(*entry)
        except BaseException:
            with self._changed:
                self._writing = False  # the next record starts another thread
                self._changed.notify_all()
            raise

    def _next(self) -> tuple[str, JobRecord | None] | None:
        with self._changed:
            if not self._pending:
                self._writing = False  # under the lock: what is added from now on starts another thread
                self._changed.notify_all()
                return None
            job_id = next(iter(self._pending))
            return job_id, self._pending.pop(job_id)

    def _write_one(self, job_id: str, record: JobRecord | None) -> None:
        try:
            if record is None:
                self._log.remove_job(job_id)
            else:
                self._log.save_job(record)
        except CueMemError as error:  # the job itself goes on; only a restart will not know of it
            _log.warning("The record of job %s was not kept: %s", job_id, error)
