"""A language model that asks the store first: what was replied once costs nothing again."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from cuemem.adapters.chat.faults import told_limit
from cuemem.adapters.store.replies import Replies
from cuemem.errors import ChatFailure
from cuemem.ports import ChatModel
from cuemem.types import ChatReply, ChatRequest, Failure

NO_MODEL = (
    "No language model is set, and this was not asked before. Name one (--model, CUEMEM_MODEL or the settings), "
    "with its key in the environment; or get one that needs no key: python -m cuemem model pull."
)


NOT_RECORDED = "This is no part of the recording that is replayed; a model that is asked now would have to say it."


class _UnderWay:
    """The requests that some thread is making."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._names: set[str] = set()

    @contextmanager
    def only_one(self, name: str) -> Iterator[None]:
        """Alone with this name; the next one waits."""
        with self._changed:
            self._changed.wait_for(lambda: name not in self._names)
            self._names.add(name)
        try:
            yield
        finally:
            with self._changed:
                self._names.discard(name)
                self._changed.notify_all()


_UNDER_WAY = _UnderWay()


@dataclass(frozen=True)
class CachedChat:
    """:class:`cuemem.ports.ChatModel` over the store. Without a ``chat`` only what is kept can be replied.

    Each reply is committed as it comes, so that an interruption loses at most the calls in flight; a failure is
    kept too, and the request is made again the next time that somebody asks.
    """

    store: Replies
    name: str
    chat: ChatModel | None = None

    @property
    def window(self) -> int | None:
        """That of the model."""
        return self.chat.window if self.chat else None

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """That of the model."""
        return self.chat.cost(tokens_in, tokens_out) if self.chat else None

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply that is kept, or the model's. Raises ChatFailure.

        Who asks what another thread is asking already waits for that one's reply.
        """
        key = request.key(self.name)
        if held := self.store.reply(key):
            return held
        with _UNDER_WAY.only_one(f"{self.store.path} {key}"):
            return self.store.reply(key) or self._asked(request)

    def _asked(self, request: ChatRequest) -> ChatReply:
        model = self._model()
        try:
            reply = model.complete(request)
        except ChatFailure as failure:
            self.store.save_failure(request, self.name, failure)
            raise
        self.store.save_reply(request, reply)
        return reply

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        """The same in pieces; a reply that is kept, or that another thread got, comes in one."""
        key = request.key(self.name)
        if held := self.store.reply(key):
            yield held.text
            return held
        with _UNDER_WAY.only_one(f"{self.store.path} {key}"):
            if held := self.store.reply(key):
                yield held.text
                return held
            model = self._model()
            try:
                reply = yield from model.stream(request)
            except ChatFailure as failure:
                self.store.save_failure(request, self.name, failure)
                raise
            self.store.save_reply(request, reply)
            return reply

    def _model(self) -> ChatModel:
        if self.chat is None:
            raise ChatFailure("no model", NO_MODEL)
        return self.chat


@dataclass(frozen=True)
class KeptReplies:
    """:class:`cuemem.ports.ChatModel` that asks nobody: what a model of this name replied, or failed at, before.

    What was never asked fails as ``no model``. ``window`` is the one that the model was asked with. ``failed`` is for
    the replay of a recording: what the model had failed at, by the key of the request; what is no part of the
    recording then fails as ``not recorded``, which is no reason to stop.
    """

    store: Replies
    name: str
    window: int | None = None
    failed: Mapping[str, Failure] | None = None

    def cost(self, _tokens_in: int, _tokens_out: int) -> float | None:
        """Not known."""
        return None

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply that is kept. Raises ChatFailure, with the sentence that was kept where it had failed."""
        key = request.key(self.name)
        if held := self.store.reply(key):
            return held
        if failed := (self.failed or {}).get(key) or self.store.chat_failure(key):
            limit = told_limit(failed.sentence) if failed.kind == "context too long" else None
            raise ChatFailure(failed.kind, failed.sentence, retryable=failed.retryable, limit=limit)
        if self.failed is not None:
            raise ChatFailure("not recorded", NOT_RECORDED)
        raise ChatFailure("no model", NO_MODEL)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        """The same in one piece."""
        held = self.complete(request)
        yield held.text
        return held
