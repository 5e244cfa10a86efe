"""A language model behind LiteLLM, as :class:`cuemem.ports.ChatModel`."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from cuemem.adapters.chat import library
from cuemem.adapters.chat.faults import JSON_MODE, RETRIED, Caller
from cuemem.adapters.chat.library import JsonMode
from cuemem.adapters.chat.limits import CallLimits, Gate
from cuemem.adapters.chat.secrets import never_tell
from cuemem.adapters.chat.transport import Raw, Transport
from cuemem.adapters.chat.usable import usable_text
from cuemem.errors import ChatFailure
from cuemem.ports import TokenCounter
from cuemem.text import storable
from cuemem.types import ChatReply, ChatRequest, FailureKind, Usage

_ASKED_AGAIN: frozenset[FailureKind] = frozenset({"empty", "not JSON", "schema broken"})
_NEXT_MODE: dict[JsonMode, JsonMode] = {"schema": "object", "object": "text"}
_SPELLED = "Reply with JSON only, without any other text, that follows this JSON Schema:\n"


@dataclass
class _Tries:
    """One request on its way: how often it was made, and how its JSON is asked for."""

    mode: JsonMode
    spelled: bool = False  # whether the schema is written into the prompt
    made: int = 0
    unusable: int = 0
    timed_out: int = 0


@dataclass
class LiteLlmChat:
    """A model by its LiteLLM name. Safe to share between threads, which then share its limits.

    A key that is given goes to the model and nowhere else. With an ``api_base`` and no key, a dummy is sent: a key
    in the environment is meant for its provider, not for whatever server is named. ``window_given`` is the window
    of a model that LiteLLM does not list.
    """

    name: str
    tokens: TokenCounter
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    limits: CallLimits = field(default_factory=CallLimits)
    window_given: int | None = None

    def __post_init__(self) -> None:
        never_tell(self.api_key)
        self._caller = Caller(self.name, (self.api_key,) if self.api_key else ())
        self._transport = Transport(self.name, self.api_base, self.api_key, self.limits.timeout, self._caller)
        self._gate = Gate(self.limits)
        self._mode: JsonMode | None = None

    @property
    def window(self) -> int | None:
        """The most tokens of prompt and reply, None where not known."""
        return self.window_given or library.window(self.name)

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """The price in US dollars by LiteLLM's list, None where the model is not in it."""
        return library.cost(self.name, tokens_in, tokens_out)

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply, tried again where that helps. Raises ChatFailure."""
        tries = self._tries(request)
        while True:
            try:
                with self._gate.slot():
                    return replace(self._usable(self._call(request, tries), request), tried=tries.made)
            except ChatFailure as failure:
                self._again(failure, tries, request)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        """The reply in pieces. Once a piece is out nothing is tried again: it cannot be taken back."""
        tries = self._tries(request)
        while True:
            begun = False
            try:
                with self._gate.slot():
                    pieces = self._pieces(request, tries)
                    while True:
                        piece = next(pieces, None)
                        if isinstance(piece, Raw):
                            return replace(self._usable(piece, request), tried=tries.made)
                        begun = True
                        yield storable(piece or "")
            except ChatFailure as failure:
                if begun:
                    failure.tried = tries.made
                    raise
                self._again(failure, tries, request)

    def _pieces(self, request: ChatRequest, tries: _Tries) -> Iterator[str | Raw]:
        """The pieces, then the whole. After a stream without any, asked for at once: LiteLLM streams no refusal."""
        if tries.unusable:
            whole = self._call(request, tries)
            yield from filter(None, [whole.text])
        else:
            tries.made += 1
            whole = yield from self._transport.stream(self._messages(request, tries), request)
        yield whole

    def _tries(self, request: ChatRequest) -> _Tries:
        if self._mode is None:
            self._mode = library.json_mode(self.name)
        return _Tries(self._mode, spelled=request.schema is not None and self._mode != "schema")

    def _call(self, request: ChatRequest, tries: _Tries) -> Raw:
        tries.made += 1
        return self._transport.complete(self._messages(request, tries), request, tries.mode)

    def _messages(self, request: ChatRequest, tries: _Tries) -> list[dict[str, str]]:
        """The prompt as sent. The schema, where it has to be spelled out, stands last, after the shared beginning."""
        messages = [{"role": message.role, "content": message.text} for message in request.messages]
        if tries.spelled and request.schema is not None:
            messages[-1]["content"] += f"\n\n{_SPELLED}{json.dumps(request.schema)}"
        return messages

    def _again(self, failure: ChatFailure, tries: _Tries, request: ChatRequest) -> None:
        """Wait until the request is to be made again, or raise the failure when it is not."""
        failure.tried = tries.made
        kind = failure.kind
        if kind == "bad request" and request.schema and tries.mode in _NEXT_MODE and JSON_MODE.search(str(failure)):
            self._mode = tries.mode = _NEXT_MODE[tries.mode]  # remembered: the model is asked this once only
            tries.spelled = True
            return
        if kind in _ASKED_AGAIN and tries.unusable == 0:
            tries.unusable, tries.spelled = 1, request.schema is not None
            return
        tries.timed_out += kind == "time-out"
        wait = self._transport.asked_to_wait(failure) or self.limits.pause(tries.made)
        if kind not in RETRIED or tries.made >= self.limits.tries or tries.timed_out > 1:
            raise failure
        if wait > self.limits.longest_wait:
            raise self._caller.failure(kind, f"it asks to wait {wait:,.0f} seconds", tried=tries.made) from failure
        if kind == "rate limited":
            self._gate.hold(wait)
        else:
            time.sleep(wait)

    def _usable(self, raw: Raw, request: ChatRequest) -> ChatReply:
        """The reply, if it is one. Raises ChatFailure: refused, truncated, empty, not JSON, schema broken."""
        text = usable_text(raw, self._caller, request.schema, request.max_tokens)
        usage = self._usage(raw, request, text)
        return ChatReply(text, usage, raw.finish_reason, self.name, asked_at=datetime.now(UTC))

    def _usage(self, raw: Raw, request: ChatRequest, text: str) -> Usage:
        """Tokens as the server counts them; by the fixed tokenizer where it does not say."""
        tokens_in = raw.tokens_in or sum(self.tokens.count(message.text) for message in request.messages)
        tokens_out = raw.tokens_out or self.tokens.count(text)
        cost = raw.cost if raw.cost is not None else self.cost(tokens_in, tokens_out)
        return Usage(tokens_in, tokens_out, raw.seconds, cost)
