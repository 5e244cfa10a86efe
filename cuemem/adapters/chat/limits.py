"""How many calls at once, how many a minute, how long to wait for one and how often to try."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cuemem.errors import BadSetting


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of the calls to one model. The time-out suits a local model on a busy machine.

    ``tries`` counts the first call too. ``backoff`` is the first wait in seconds; it doubles, with a random part,
    up to ``longest_wait``, beyond which a server's Retry-After is not waited for either.
    """

    concurrency: int = 4
    requests_per_minute: int | None = None
    timeout: float = 600.0
    tries: int = 5
    backoff: float = 1.0
    longest_wait: float = 90.0

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.tries < 1 or self.timeout <= 0:
            raise BadSetting(f"{self} needs a concurrency and tries of 1 or more, and a time-out above 0.")
        if self.requests_per_minute is not None and self.requests_per_minute < 1:
            raise BadSetting(
                f"requests_per_minute={self.requests_per_minute} must be 1 or more, or None for no limit."
            )

    def pause(self, tried: int) -> float:
        """How long to wait after so many tries: doubled each time, and between half and all of it by chance."""
        longest = min(self.longest_wait, self.backoff * 2.0 ** (tried - 1))
        return longest * random.uniform(0.5, 1.0)


class Gate:
    """Lets calls through as the limits allow. Shared by all threads that use one model."""

    def __init__(self, limits: CallLimits) -> None:
        self._slots = threading.BoundedSemaphore(limits.concurrency)
        self._spacing = 60.0 / limits.requests_per_minute if limits.requests_per_minute else 0.0
        self._lock = threading.Lock()
        self._next = 0.0

    @contextmanager
    def slot(self) -> Iterator[None]:
        """A place among the calls under way, entered when it is this call's turn."""
        with self._slots:
            with self._lock:
                now = time.monotonic()
                start = max(now, self._next)
                self._next = start + self._spacing
            if start > now:
                time.sleep(start - now)
            yield

    def hold(self, seconds: float) -> None:
        """Let no call begin for so long: the server said that there were too many."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)
