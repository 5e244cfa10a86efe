"""Answers on their way: asked in the background, word by word for whoever looks, and kept as they come.

A closed tab or another page stops nothing. What came is in the store, so nothing of it is remembered here.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from cuemem.adapters.store import Store
from cuemem.errors import ChatFailure, CueMemError
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.compare import Contestant, scored
from cuemem.evaluation.judge import Judge
from cuemem.types import Answer, ChatReply, ChatRequest, ConversationId, Query, Question
from cuemem.workbench.answering import keep
from cuemem.workbench.wrapped import Wrapped

Step = Literal["waiting", "answering", "judging", "broken"]


@dataclass
class Tally:
    """What was asked: requests made, those that had to be made again too; replies that the store had; failures."""

    requests: int = 0
    from_store: int = 0
    failed: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, requests: int, *, from_store: bool = False, failed: bool = False) -> None:
        """Count what became of one call."""
        with self._lock:
            self.requests += requests
            self.from_store += from_store
            self.failed += failed


@dataclass(frozen=True)
class Counted(Wrapped):
    """:class:`cuemem.ports.ChatModel` that counts its calls."""

    tally: Tally

    def complete(self, request: ChatRequest) -> ChatReply:
        """The model's reply. Raises ChatFailure."""
        try:
            return self._counted(self.chat.complete(request))
        except ChatFailure as failure:
            self.tally.add(failure.tried, failed=True)
            raise

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        """The same in pieces; one that is left in the middle was one request."""
        try:
            return self._counted((yield from self.chat.stream(request)))
        except ChatFailure as failure:
            self.tally.add(failure.tried, failed=True)
            raise
        except GeneratorExit:
            self.tally.add(1)
            raise

    def _counted(self, reply: ChatReply) -> ChatReply:
        self.tally.add(0 if reply.cached else reply.tried, from_store=reply.cached)
        return reply


@dataclass(frozen=True)
class Wanted:
    """One contestant's answer, and its verdict where there is a judge; ``key`` tells it from others.

    ``answer`` is the one that came before, where only the verdict is wanted.
    """

    key: str
    conversation_id: ConversationId
    asked: Question | Query
    contestant: Contestant
    answerer: Answerer
    judge: Judge | None
    answer: Answer | None = None


@dataclass
class Live:
    """How far one answer is. ``text`` is what came so far; ``began`` by the monotonic clock, None while it waits.

    ``broken`` with the sentence ``why``: something other than the model failed.
    """

    step: Step = "waiting"
    text: str = ""
    began: float | None = None
    why: str = ""
    stop: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def seconds(self) -> float:
        """For how long the model has been at it."""
        return 0.0 if self.began is None else time.monotonic() - self.began


class Asking:
    """What is being asked in this process, by key. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._changed = threading.Condition()
        self._live: dict[str, Live] = {}

    def start(self, wanted: Sequence[Wanted], at_once: int = 1) -> None:
        """Ask for these, so many at once, the first one first. What is on its way already is not asked twice."""
        with self._changed:
            by_key = {each.key: each for each in wanted}
            new = [it for key, it in by_key.items() if key not in self._live or self._live[key].step == "broken"]
            self._live |= {each.key: Live() for each in new}
        waiting = deque(new)
        for number in range(min(at_once, len(new))):
            threading.Thread(target=self._work, args=(waiting,), name=f"asking {number}", daemon=True).start()

    def live(self, key: str) -> Live | None:
        """How far this one is; None where it is not being asked."""
        with self._changed:
            found = self._live.get(key)
            return replace(found) if found else None

    def stop(self, keys: Collection[str]) -> None:
        """Leave these at their next word; what was not begun is not begun."""
        with self._changed:
            for key in keys:
                if found := self._live.get(key):
                    found.stop.set()

    def wait(self, timeout: float) -> bool:
        """Wait until nothing is on its way; whether that was so within so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: all(it.step == "broken" for it in self._live.values()), timeout)

    def _work(self, waiting: deque[Wanted]) -> None:
        while waiting:
            try:
                wanted = waiting.popleft()
            except IndexError:  # another thread was quicker
                return
            live = self._live[wanted.key]
            try:
                if not live.stop.is_set():
                    live.began = time.monotonic()
                    self._ask(wanted, live)
            except CueMemError as error:
                self._end(wanted.key, str(error))
            except BaseException as error:
                reason = f"{type(error).__name__}: {error}".rstrip(": ")
                self._end(wanted.key, f"The program itself failed ({reason}). The app's log says where; report it.")
                raise  # into the log, by the thread's exception hook
            else:
                self._end(wanted.key)

    def _end(self, key: str, why: str = "") -> None:
        with self._changed:
            if why:
                self._live[key].why, self._live[key].step = why, "broken"
            else:
                del self._live[key]
            self._changed.notify_all()

    def _ask(self, wanted: Wanted, live: Live) -> None:
        answer = wanted.answer or self._answered(wanted, live)
        if answer is None or wanted.judge is None or not isinstance(wanted.asked, Question) or live.stop.is_set():
            return
        live.step = "judging"
        row = scored(wanted.asked, wanted.contestant, answer, wanted.judge, wanted.conversation_id)
        keep(self._store, wanted.conversation_id, wanted.asked, row, wanted.judge)

    def _answered(self, wanted: Wanted, live: Live) -> Answer | None:
        """The answer, its words told as they come; None where it was stopped."""
        live.step = "answering"
        query = wanted.asked if isinstance(wanted.asked, Query) else wanted.asked.query
        contestant = wanted.contestant
        pieces = wanted.answerer.stream(query, contestant.context, contestant.turns, wanted.conversation_id)
        while not live.stop.is_set():
            try:
                live.text += next(pieces)
            except StopIteration as ended:
                answer: Answer = ended.value
                return answer
        pieces.close()
        return None
