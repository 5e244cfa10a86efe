"""What a run may spend, and models that spend from it or that ask nothing at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cuemem.adapters.store import KeptReplies, Store
from cuemem.errors import Awaited, BadSetting, ChatFailure, Stopped
from cuemem.ports import TokenCounter
from cuemem.types import ChatReply, ChatRequest
from cuemem.workbench.wrapped import Wrapped

ON = "What was done is kept, and it goes on from there."


class Unasked(BadSetting):
    """Something that only a model can say is lacking, where no model may be asked."""


@contextmanager
def collected(refused: list[Unasked]) -> Iterator[None]:
    """Go on where a model would have to be asked, and keep that it would."""
    try:
        yield
    except Unasked as end:
        refused.append(end)


@dataclass(frozen=True, slots=True)
class Caps:
    """The most US dollars and the most requests of one go. Going on afterwards begins another."""

    cost: float | None = None
    calls: int | None = None


@dataclass
class Purse:
    """What was spent in one go, and what may still be. Safe to share between threads.

    Before each call the most it can cost is set aside, so that the cap on money is never passed. Tries that a call
    under way makes again count, and are not cut off.
    """

    caps: Caps
    calls: int = 0
    cost: float = 0.0
    unpriced: int = 0
    _calls_out: int = 0
    _cost_out: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self, most: float | None, model: str) -> None:
        """Set a call aside that costs at most so much. Raises Stopped where a cap would be passed."""
        with self._lock:
            if self.caps.calls is not None and self.calls + self._calls_out >= self.caps.calls:
                raise Stopped(f"The cap of {self.caps.calls:,} calls is reached. {ON}")
            if self.caps.cost is not None:
                if most is None:
                    raise BadSetting(
                        f"The price of {model} is not known, so a cap in money cannot be held. Cap the calls instead."
                    )
                if self.cost + self._cost_out + most > self.caps.cost:
                    raise Stopped(
                        f"The cap of ${self.caps.cost:,.2f} is reached: ${self.cost:,.4f} are spent, and the next "
                        f"call may cost ${most:,.4f}. {ON}"
                    )
            self._calls_out += 1
            self._cost_out += most or 0.0

    def settle(self, most: float | None, tried: int, cost: float | None, *, replied: bool) -> None:
        """What a call that was set aside took in the end."""
        with self._lock:
            self._calls_out -= 1
            self._cost_out -= most or 0.0
            self.calls += tried
            self.cost += cost or 0.0
            self.unpriced += replied and cost is None


@dataclass(frozen=True)
class Metered(Wrapped):
    """A model whose calls are paid from a purse; it stands behind the store, so what is kept costs nothing."""

    purse: Purse
    tokens: TokenCounter

    def complete(self, request: ChatRequest) -> ChatReply:
        """The model's reply. Raises Stopped where the purse does not allow it."""
        most = self._most(request)
        self.purse.take(most, self.name)
        tried, cost, replied = 1, None, False
        try:
            reply = self.chat.complete(request)
            tried, cost, replied = reply.tried, reply.usage.cost, True
            return reply
        except ChatFailure as failure:
            tried = failure.tried
            raise
        finally:
            self.purse.settle(most, tried, cost, replied=replied)

    def _most(self, request: ChatRequest) -> float | None:
        if self.purse.caps.cost is None:
            return None
        tokens_in = sum(self.tokens.count(message.text) + 8 for message in request.messages)
        return self.cost(round(1.1 * tokens_in), request.max_tokens)


@dataclass(frozen=True)
class Waiting(Wrapped):
    """A model that is asked nothing: what has no reply yet is awaited from a batch file.

    What failed in a batch file is a failure here.
    """

    store: Store

    def complete(self, request: ChatRequest) -> ChatReply:
        """Raises ChatFailure for what is known to have failed, else Awaited."""
        if self.store.chat_failure(request.key(self.name)) is None:
            raise Awaited(request)
        return KeptReplies(self.store, self.name).complete(request)


@dataclass(frozen=True)
class Silent(Wrapped):
    """A model that may not be asked, not even by batch file; ``why`` is the sentence that says so."""

    why: str

    def complete(self, _request: ChatRequest) -> ChatReply:
        """Raises Unasked."""
        raise Unasked(self.why)
