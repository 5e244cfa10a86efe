"""Slow calls side by side, their results in order."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass
class _Call(Generic[Result]):
    """One call and what became of it."""

    done: threading.Event = field(default_factory=threading.Event)
    results: list[Result] = field(default_factory=list)
    error: BaseException | None = None

    def run(self, function: Callable[[Item], Result], item: Item) -> None:
        try:
            self.results.append(function(item))
        except BaseException as error:  # noqa: BLE001 - it is raised again where the result is due
            self.error = error
        finally:
            self.done.set()

    def outcome(self) -> Result:
        self.done.wait()
        if self.error is not None:
            raise self.error
        return self.results[0]


def in_order(function: Callable[[Item], Result], items: Sequence[Item], at_once: int) -> Iterator[Result]:
    """``function`` of each item, at most ``at_once`` of them at a time, given out in the order of the items.

    An exception is raised when its item is due. When the iteration is left early no further call begins; those
    under way are not waited for, since a call to a model can take minutes: their threads end with the process.
    """
    calls: list[_Call[Result]] = [_Call() for _ in items]
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for place in range(len(items)):
        waiting.put(place)
    left = threading.Event()

    def work() -> None:
        while not left.is_set():
            try:
                place = waiting.get_nowait()
            except queue.Empty:
                return
            calls[place].run(function, items[place])

    for _ in range(min(at_once, len(items))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for call in calls:
            yield call.outcome()
    finally:
        left.set()
