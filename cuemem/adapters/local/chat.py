"""A local model as :class:`cuemem.ports.ChatModel`: its server is started by the first request that needs it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from cuemem.adapters.chat import CallLimits, LiteLlmChat
from cuemem.adapters.local.catalogue import DEFAULT_MODEL, LocalModel, model_named, models_folder
from cuemem.adapters.local.endpoint import Endpoint
from cuemem.adapters.local.engine import LocalEngine
from cuemem.adapters.local.settings import EngineSettings
from cuemem.errors import ChatFailure, Refused, Unavailable
from cuemem.ports import TokenCounter
from cuemem.types import ChatReply, ChatRequest

LOCAL = "local"  # alone the default model, with a name after it and a slash between that one

# One call at a time, as the server takes them; a long history on two busy cores takes many minutes to read.
LOCAL_LIMITS = CallLimits(concurrency=1, timeout=3600)


def local_model(name: str) -> LocalModel | None:
    """The model that ``local`` or ``local/NAME`` means, None for other models' names. Raises UnknownName."""
    first, _, rest = name.partition("/")
    return model_named(rest or DEFAULT_MODEL) if first == LOCAL else None


def local_name(model: LocalModel) -> str:
    """The full name of a model, by which its replies are kept."""
    return f"{LOCAL}/{model.name}"


def shared_engine() -> LocalEngine:
    """The engine that all of this process share; its servers end with the process."""
    return _engine(models_folder())


@cache
def _engine(folder: Path) -> LocalEngine:
    return LocalEngine(folder)


@dataclass
class LocalChat:
    """A local model. Safe to share between threads. What it replies costs nothing, and that is known."""

    model: LocalModel
    tokens: TokenCounter
    engine: LocalEngine = field(default_factory=shared_engine)
    settings: EngineSettings = field(default_factory=EngineSettings)
    limits: CallLimits = LOCAL_LIMITS

    def __post_init__(self) -> None:
        self._last: tuple[Endpoint, LiteLlmChat] | None = None

    @property
    def name(self) -> str:
        """``local/`` and the model's name."""
        return local_name(self.model)

    @property
    def window(self) -> int:
        """The tokens of prompt and reply that the server has room for."""
        return self.settings.context

    def cost(self, _tokens_in: int, _tokens_out: int) -> float:
        """Nothing."""
        return 0.0

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply. Raises ChatFailure, as ``no model`` where the server cannot be started.

        A server that another process started ends with that process; then we start one and ask once more.
        """
        endpoint, chat = self._served()
        with self._named():
            try:
                return self._as_ours(chat.complete(request))
            except ChatFailure as failure:
                if not self._is_gone(endpoint, failure):
                    raise
            return self._as_ours(self._served()[1].complete(request))

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        """The reply in pieces. Once a piece is out nothing is asked again."""
        endpoint, chat = self._served()
        pieces, begun = chat.stream(request), False
        while True:
            try:
                with self._named():
                    piece = next(pieces)
            except StopIteration as ended:
                return self._as_ours(ended.value)
            except ChatFailure as failure:
                if begun or not self._is_gone(endpoint, failure):
                    raise
                endpoint, chat = self._served()
                pieces = chat.stream(request)
            else:
                begun = True
                yield piece

    def _is_gone(self, endpoint: Endpoint, failure: ChatFailure) -> bool:
        return failure.kind == "connection lost" and self.engine.running(self.model) != endpoint

    def _served(self) -> tuple[Endpoint, LiteLlmChat]:
        """The server, started if need be, and the model behind it."""
        try:
            endpoint = self.engine.start(self.model, self.settings)
        except (Unavailable, Refused) as error:
            raise ChatFailure("no model", str(error), retryable=True) from error
        last = self._last
        if last is None or last[0] != endpoint:
            chat = LiteLlmChat(
                endpoint.model, self.tokens, endpoint.api_base, endpoint.api_key, self.limits, self.window
            )
            last = self._last = (endpoint, chat)
        return last

    @contextmanager
    def _named(self) -> Iterator[None]:
        """A failure names the model as it was asked for, not as its server is."""
        try:
            yield
        except ChatFailure as failure:
            failure.args = (str(failure).replace(Endpoint.model, self.name),)
            raise

    def _as_ours(self, reply: ChatReply) -> ChatReply:
        return replace(reply, model=self.name, usage=replace(reply.usage, cost=0.0))
