"""When a model's failures mean that all further calls would fail as well: then long work stops, to resume later."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from cuemem.types import Failure, FailureKind

# These are no fault of what was asked: everything else would fail alike.
STOPPING: frozenset[FailureKind] = frozenset({"bad key", "unknown model", "no credit", "no model"})
# These may be a fault of the moment; when so many in a row end thus, the server is taken to be gone.
PASSING: frozenset[FailureKind] = frozenset({"rate limited", "server error", "time-out", "connection lost"})
IN_A_ROW = 5


@dataclass
class Patience:
    """Counts failures as they come. Safe to share between threads."""

    in_a_row: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def ends(self, failure: Failure | None) -> bool:
        """Take note of what one call ended with (None: well), and tell whether to go on makes no sense."""
        with self._lock:
            self.in_a_row = self.in_a_row + 1 if failure and failure.kind in PASSING else 0
            return failure is not None and (failure.kind in STOPPING or self.in_a_row >= IN_A_ROW)
