"""The background work of the app, as :class:`cuemem.ports.JobLog` keeps it over a restart."""

from __future__ import annotations

import json

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.rows import Row, from_utc, to_json, to_utc
from cuemem.ports import JobRecord

_COLUMNS = "job_id, kind, title, details, state, message, what, done, total, created_at, started_at, ended_at"


class JobTable(Connected):
    """The records of background jobs."""

    def save_job(self, record: JobRecord) -> None:
        """Keep a job's record, in place of an earlier one with its id."""
        j = record
        times = [None if time is None else to_utc(time) for time in (j.created_at, j.started_at, j.ended_at)]
        row = [j.job_id, j.kind, j.title, to_json(dict(j.details)), j.state, j.message, j.what, j.done, j.total]
        with self.writing() as cursor:
            cursor.execute(
                f"INSERT OR REPLACE INTO jobs ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row + times
            )

    def jobs(self) -> tuple[JobRecord, ...]:
        """All jobs in the order of their creation."""
        with self.reading() as cursor:
            rows = cursor.execute(f"SELECT {_COLUMNS} FROM jobs ORDER BY created_at, job_id").fetchall()
        return tuple(_record(row) for row in rows)

    def remove_job(self, job_id: str) -> None:
        """Forget a job; no harm where there is none."""
        with self.writing() as cursor:
            cursor.execute("DELETE FROM jobs WHERE job_id = ?", [job_id])


def _record(row: Row) -> JobRecord:
    job_id, kind, title, details, state, message, what, done, total, *times = row
    created, started, ended = (None if time is None else from_utc(time) for time in times)
    assert created is not None
    return JobRecord(
        job_id, kind, title, json.loads(details), state, message, what, done, total, created, started, ended
    )
