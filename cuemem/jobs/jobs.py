"""The jobs of a process: started, listed, cancelled, taken up again. Safe to share between threads."""

from __future__ import annotations

import atexit
import json
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

from cuemem.errors import BadInput, Cancelled, CueMemError, Stopped, UnknownName
from cuemem.jobs.recorder import Recorder
from cuemem.jobs.runs import Job, Run
from cuemem.ports import JobLog, JobRecord, JobState, Progress
from cuemem.text import storable

# All a task needs, as JSON, and its progress to report. Done again, it goes on from what it had committed.
Task: TypeAlias = Callable[[Mapping[str, Any], Progress], Any]

_SAVE_EVERY = 2.0  # seconds between two records of a job's progress


class Jobs:
    """Background work by kind. One for a process and store: what it finds queued or running was interrupted."""

    def __init__(self, log: JobLog, tasks: Mapping[str, Task], keep: int = 50) -> None:
        self._tasks = dict(tasks)
        self._recorder = Recorder(log)
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[Run]] = {}
        self._running: dict[str, Run] = {}
        self._closing = False
        self._runs = {record.job_id: Run(record) for record in log.jobs()}
        self._take_over(keep)
        atexit.register(self.close)

    def start(self, kind: str, title: str, details: Mapping[str, Any]) -> str:
        """Queue a job and give its id; that of the same job where it waits or runs already.

        Details lie in the store for anyone to read: no keys. Raises UnknownName for a kind there is no task for,
        TypeError for details that are no JSON.
        """
        self._task(kind)
        details = json.loads(json.dumps(details))
        with self._changed:
            for run in self._runs.values():
                if (run.record.kind, run.record.details) == (kind, details) and run.goes_on:
                    return run.record.job_id
            job_id, now = uuid.uuid4().hex[:12], datetime.now(UTC)
            record = JobRecord(job_id, kind, storable(title), details, "queued", "", "", 0, 0, now)
            return self._queue(self._runs.setdefault(job_id, Run(record)))

    def resume(self, job_id: str) -> None:
        """Take up a job that was interrupted or cancelled or has failed; no harm where it waits or runs.

        Raises UnknownName for a job there is not, BadInput for one that is done.
        """
        with self._changed:
            run = self._run(job_id)
            if run.goes_on:
                return
            if not run.snapshot().resumable:
                raise BadInput(f"{run.record.title!r} is {run.record.state}. Wait for its end, or start it anew.")
            self._task(run.record.kind)
            self._queue(run)

    def cancel(self, job_id: str) -> None:
        """Stop a job at its next progress, or at once while it waits; no harm after its end."""
        with self._changed:
            run = self._run(job_id)
            if run.record.state == "queued":
                self._waiting[run.record.kind].remove(run)
                self._become(run, "cancelled")
            elif run.record.state == "running":
                run.stop.set()

    def forget(self, job_id: str) -> None:
        """Take an ended job off the list. Raises BadInput for one that waits or runs."""
        with self._changed:
            run = self._run(job_id)
            if run.snapshot().active:
                raise BadInput(f"{run.record.title!r} is {run.record.state}. Cancel it first.")
            del self._runs[job_id]
            self._recorder.remove(job_id)

    def job(self, job_id: str) -> Job:
        """A job as it is now. Raises UnknownName."""
        with self._changed:
            return self._run(job_id).snapshot()

    def jobs(self, kind: str | None = None) -> tuple[Job, ...]:
        """All jobs, or those of a kind, as they are now; the newest first."""
        with self._changed:
            found = [run.snapshot() for run in self._runs.values() if kind in (None, run.record.kind)]
        return tuple(sorted(found, key=lambda job: (job.created_at, job.job_id), reverse=True))

    def wait(self, job_id: str, timeout: float) -> Job:
        """The job at its end, or as it is after so many seconds."""
        with self._changed:
            run = self._run(job_id)
            self._changed.wait_for(lambda: run.record.state not in ("queued", "running"), timeout)
            return run.snapshot()

    def close(self, timeout: float = 5.0) -> None:
        """Stop all work within so many seconds, as interrupted, and write down what is to be kept."""
        deadline = time.monotonic() + timeout
        with self._changed:
            self._closing = True
            for waiting in self._waiting.values():
                while waiting:
                    self._become(waiting.popleft(), "interrupted")
            for run in self._running.values():
                run.stop.set()
            self._changed.wait_for(lambda: not self._running, timeout)
        self._recorder.flush(max(0.1, deadline - time.monotonic()))
        atexit.unregister(self.close)

    def _take_over(self, keep: int) -> None:
        """What an earlier process was at was interrupted; of what had ended, the newest few stay listed."""
        ended = [job_id for job_id, run in self._runs.items() if run.record.ended_at is not None]
        with self._changed:
            for job_id in ended[: max(0, len(ended) - keep)]:
                del self._runs[job_id]
                self._recorder.remove(job_id)
            for run in self._runs.values():
                if run.record.state in ("queued", "running"):
                    self._become(run, "interrupted")

    def _run(self, job_id: str) -> Run:
        if run := self._runs.get(job_id):
            return run
        raise UnknownName(f"There is no job {job_id!r}; it may have been taken off the list.")

    def _task(self, kind: str) -> Task:
        if kind not in self._tasks:
            raise UnknownName(f"No background work of kind {kind!r}; there are {', '.join(sorted(self._tasks))}.")
        return self._tasks[kind]

    def _queue(self, run: Run) -> str:
        run.begin()
        self._become(run, "queued")
        self._waiting.setdefault(run.record.kind, deque()).append(run)
        self._launch(run.record.kind)
        return run.record.job_id

    def _launch(self, kind: str) -> None:
        """Begin the next job of a kind, unless one runs. A thread for each job: an error ends its own only."""
        waiting = self._waiting.get(kind)
        if waiting and kind not in self._running and not self._closing:
            run = self._running[kind] = waiting.popleft()
            self._become(run, "running")
            threading.Thread(target=self._work, args=(run,), name=f"job {run.record.title}", daemon=True).start()

    def _work(self, run: Run) -> None:
        try:
            run.result = self._task(run.record.kind)(run.record.details, self._progress(run))
        except Cancelled as end:
            reason = str(end) if isinstance(end, Stopped) else ""
            self._end(run, "interrupted" if self._closing else "cancelled", reason)
        except CueMemError as error:
            self._end(run, "failed", str(error))
        except BaseException as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            self._end(run, "failed", f"The program itself failed ({reason}). The app's log says where; report it.")
            raise  # into the log, by the thread's exception hook
        else:
            self._end(run, "done")

    def _end(self, run: Run, state: JobState, message: str = "") -> None:
        with self._changed:
            del self._running[run.record.kind]
            self._become(run, state, storable(message))
            self._launch(run.record.kind)

    def _progress(self, run: Run) -> Progress:
        def report(what: str, done: int, total: int) -> None:
            if run.stop.is_set():
                raise Cancelled(f"{run.record.title} was stopped. What it had committed is kept.")
            with self._changed:
                run.report(what, done, total)
                if time.monotonic() - run.saved_at > _SAVE_EVERY:
                    self._save(run)

        return report

    def _become(self, run: Run, state: JobState, message: str = "") -> None:
        now = datetime.now(UTC)
        began = {"queued": None, "running": now}.get(state, run.record.started_at)
        ended = now if state in ("done", "failed", "cancelled") else None
        run.record = replace(run.record, state=state, message=message, started_at=began, ended_at=ended)
        self._save(run)
        self._changed.notify_all()

    def _save(self, run: Run) -> None:
        run.saved_at = time.monotonic()
        self._recorder.save(run.record)
