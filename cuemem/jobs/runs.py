"""One job while it waits and runs: what it reports, and how long it may still take."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, fields, replace
from typing import Any

from cuemem.ports import JobRecord

_SURE_AFTER = 0.5  # seconds of a step before its pace says anything


@dataclass(frozen=True, slots=True)
class Job(JobRecord):
    """A job as it is at one moment.

    ``total`` is 0 where the number of steps is not known. ``seconds_left`` is for the step under way, by its pace
    so far, and None while that says nothing. ``cancelling``: it stops at its next progress. ``result`` is what the
    task gave back; it is not kept over a restart.
    """

    seconds_left: float | None = None
    cancelling: bool = False
    result: Any = None

    @property
    def active(self) -> bool:
        """Whether it waits or runs, so that a page should look again."""
        return self.state in ("queued", "running")

    @property
    def resumable(self) -> bool:
        """Whether :meth:`Jobs.resume` takes it up again."""
        return self.state in ("interrupted", "failed", "cancelled")


@dataclass(slots=True)
class Run:
    """The moving part behind a :class:`Job`. Its owner guards it with a lock; the stop flag needs none."""

    record: JobRecord
    stop: threading.Event = field(default_factory=threading.Event)
    result: Any = None
    saved_at: float = 0.0
    _step_began: float = 0.0
    _step_from: int = 0
    _reported: float = 0.0

    def report(self, what: str, done: int, total: int) -> None:
        """Note the progress of a step; another name or fewer steps done than before begin a new one."""
        now = time.monotonic()
        if what != self.record.what or done < self.record.done or not self._step_began:
            self._step_began, self._step_from = now, done
        self._reported = now
        self.record = replace(self.record, what=what, done=done, total=total)

    @property
    def goes_on(self) -> bool:
        """Whether it waits or runs, and nobody has asked it to stop."""
        return self.record.state in ("queued", "running") and not self.stop.is_set()

    def begin(self) -> None:
        """Forget what an earlier try left: its pace, its result, and that it was to stop."""
        self.stop.clear()
        self._step_began, self.result = 0.0, None

    def snapshot(self) -> Job:
        """The job as it is now."""
        known = {entry.name: getattr(self.record, entry.name) for entry in fields(JobRecord)}
        running = self.record.state == "running"
        return Job(
            **known,
            seconds_left=self._seconds_left() if running else None,
            cancelling=running and self.stop.is_set(),
            result=self.result,
        )

    def _seconds_left(self) -> float | None:
        made, spent = self.record.done - self._step_from, self._reported - self._step_began
        if made <= 0 or spent < _SURE_AFTER or self.record.total <= 0:
            return None
        due = spent / made * (self.record.total - self.record.done)
        return max(0.0, due - (time.monotonic() - self._reported))
