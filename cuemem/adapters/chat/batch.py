"""Requests and replies as lines of OpenAI's batch files, which other batch services read and write as well."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from cuemem.adapters.chat import library
from cuemem.adapters.chat.faults import Caller
from cuemem.adapters.chat.transport import Raw, response_format
from cuemem.adapters.chat.usable import usable_text
from cuemem.errors import ChatFailure
from cuemem.text import as_text
from cuemem.types import ChatReply, ChatRequest, FailureKind, JsonSchema, Usage

URL = "/v1/chat/completions"
MOST_LINES, MOST_BYTES = 50_000, 200_000_000  # of one file, for OpenAI
_KINDS: Mapping[int, FailureKind] = {
    401: "bad key",
    402: "no credit",
    403: "bad key",
    404: "unknown model",
    413: "context too long",
    429: "rate limited",
}


def batch_line(request: ChatRequest, model: str) -> dict[str, Any]:
    """A request as a line; its ``custom_id`` is the key that the reply will be kept under."""
    served, params = library.parameters(
        model,
        max_tokens=request.max_tokens,
        temperature=request.temperature,
        response_format=response_format(request.schema, "schema"),
    )
    messages = [{"role": message.role, "content": message.text} for message in request.messages]
    body = {"model": served, "messages": messages, **params}
    return {"custom_id": request.key(model), "method": "POST", "url": URL, "body": body}


def reply_of(
    line: Mapping[str, Any], model: str, schema: JsonSchema | None, max_tokens: int, tokens_in: int
) -> ChatReply:
    """The reply that a line brings, checked as one that comes at once is. Raises ChatFailure for what is none.

    The price is the list's for batches, None where it has none; the time that it took is not known and stands as 0.
    It was asked from here, so it is not recorded elsewhere.
    """
    caller = Caller(model, ())
    error = line.get("error")
    response = line.get("response")
    if not isinstance(response, Mapping):
        raise _failed(caller, 0, error or "there is neither a response nor an error")
    status, body = response.get("status_code", 200), response.get("body")
    if error or status != 200 or not isinstance(body, Mapping) or "error" in body:
        said = error or (body.get("error") if isinstance(body, Mapping) else None) or body
        raise _failed(caller, status if isinstance(status, int) else 0, said)
    raw = _raw(body, tokens_in)
    text = usable_text(raw, caller, schema, max_tokens)
    cost = library.batch_cost(model, raw.tokens_in, raw.tokens_out)
    usage = Usage(raw.tokens_in, raw.tokens_out, 0.0, cost)
    return ChatReply(text, usage, raw.finish_reason, model, asked_at=datetime.now(UTC))


def _raw(body: Mapping[str, Any], tokens_in: int) -> Raw:
    """The parts of a chat completion that count; what is missing or of another form counts as nothing."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    usage = body.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    refusal = message.get("refusal")
    return Raw(
        as_text(message.get("content")),
        as_text(choice.get("finish_reason")) or "stop",
        as_text(refusal) or None,
        _count(usage.get("prompt_tokens")) or tokens_in,
        _count(usage.get("completion_tokens")),
        0.0,
        None,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else 0


def _failed(caller: Caller, status: int, said: Any) -> ChatFailure:
    words = as_text(said.get("message") or said.get("code")) if isinstance(said, Mapping) else as_text(said)
    kind: FailureKind = _KINDS.get(status, "bad request" if 400 <= status < 500 else "server error")
    if caller.is_too_long(words):
        kind = "context too long"
    failure = caller.failure(kind, words)
    failure.tried = 1
    return failure
