"""One request to LiteLLM and what came back, before anything is made of it."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from cuemem.adapters.chat import library
from cuemem.adapters.chat.faults import Caller, retry_after
from cuemem.adapters.chat.library import JsonMode
from cuemem.errors import ChatFailure
from cuemem.types import ChatRequest, JsonSchema

NO_KEY = "none"  # what a server without keys is sent, since the protocol wants one


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply as it came. Tokens are 0 where the server does not count them, the cost None where not known."""

    text: str
    finish_reason: str
    refusal: str | None
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float | None


@dataclass
class Transport:
    """Makes single requests; every failure comes out as a ChatFailure."""

    model: str
    api_base: str | None
    api_key: str | None = field(repr=False)
    timeout: float
    caller: Caller

    def complete(self, messages: list[dict[str, str]], request: ChatRequest, mode: JsonMode) -> Raw:
        """One request and its whole reply."""
        started = time.perf_counter()
        response = self._sent(messages, request, response_format=response_format(request.schema, mode))
        return _raw(response, time.perf_counter() - started)

    def stream(self, messages: list[dict[str, str]], request: ChatRequest) -> Generator[str, None, Raw]:
        """One request and its reply in pieces; returns the whole."""
        started = time.perf_counter()
        response = self._sent(messages, request, stream=True, stream_options={"include_usage": True})
        chunks: list[Any] = []
        pieces: list[str] = []
        finish, refusal = "", ""
        try:
            for chunk in response:
                chunks.append(chunk)
                choice = chunk.choices[0] if chunk.choices else None
                if choice is None:
                    continue
                finish = choice.finish_reason or finish
                refusal += getattr(choice.delta, "refusal", None) or ""
                if choice.delta.content:
                    pieces.append(choice.delta.content)
                    yield choice.delta.content
        except _faults() as error:
            raise self._failure(error) from error
        except GeneratorExit:  # nobody listens any more: the server need not go on
            response.close()
            raise
        if not (
            response.received_finish_reason or response.intermittent_finish_reason
        ):  # LiteLLM would call a stream that just ends finished
            raise self.caller.failure("connection lost", "the stream ended without an end", text="".join(pieces))
        whole = library.litellm().stream_chunk_builder(chunks, messages=messages)
        counted = _raw(whole, time.perf_counter() - started)
        usage = next((chunk.usage for chunk in reversed(chunks) if getattr(chunk, "usage", None)), None)
        tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else (0, 0)
        return Raw("".join(pieces), finish, refusal or None, *tokens, counted.seconds, counted.cost)

    def asked_to_wait(self, failure: ChatFailure) -> float | None:
        """The seconds of a Retry-After that came with the failure."""
        cause = failure.__cause__
        return retry_after(cause) if isinstance(cause, Exception) else None

    def _sent(self, messages: list[dict[str, str]], request: ChatRequest, **more: Any) -> Any:
        given = {name: value for name, value in more.items() if value is not None}
        key = self.api_key or (NO_KEY if self.api_base else None)
        try:
            return library.litellm().completion(
                model=self.model,
                messages=messages,
                api_base=self.api_base,
                api_key=key,
                max_tokens=request.max_tokens,
                temperature=request.temperature,
                timeout=self.timeout,
                max_retries=0,  # trying again is ours, where it is counted
                num_retries=0,
                drop_params=True,  # some models take no temperature
                **given,
            )
        except _faults() as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> ChatFailure:
        return self.caller.of(error)


def _faults() -> tuple[type[Exception], ...]:
    """What LiteLLM and the connection under it raise."""
    import httpx
    import openai

    return (openai.OpenAIError, httpx.HTTPError)


def response_format(schema: JsonSchema | None, mode: JsonMode) -> dict[str, Any] | None:
    """How a request asks for JSON."""
    if schema is None or mode == "text":
        return None
    if mode == "object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": dict(schema)}}


def _raw(response: Any, seconds: float) -> Raw:
    """The parts of a LiteLLM response that count."""
    if not response.choices:
        return Raw("", "stop", None, 0, 0, seconds, None)
    choice = response.choices[0]
    usage = getattr(response, "usage", None)
    return Raw(
        choice.message.content or "",
        choice.finish_reason or "",
        getattr(choice.message, "refusal", None),
        (usage.prompt_tokens or 0) if usage else 0,
        (usage.completion_tokens or 0) if usage else 0,
        seconds,
        (getattr(response, "_hidden_params", None) or {}).get("response_cost"),
    )
