"""What went wrong in a call, by its kind, as a sentence with the remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from cuemem.adapters.chat.library import litellm
from cuemem.adapters.chat.secrets import scrub
from cuemem.errors import ChatFailure
from cuemem.types import FailureKind

_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Timeout|Exception)\b[:\s-]*)+")
_TOO_LONG = re.compile(
    r"context.{0,12}(?:size|length|window|limit)|exceed_context_size|too many tokens|(?:prompt|input) is too long",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:maximum context length is|context (?:size|length|window|limit)[^\d]{0,24})\s*\(?([\d,]{3,})", re.I
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance|billing|payment required", re.I
)
_NO_PROVIDER = re.compile(r"LLM Provider NOT provided", re.I)
_NO_MODEL = re.compile(r"model.{0,80}(?:does not exist|not found)|unknown model", re.I)
_LOST = re.compile(
    r"connection (?:error|reset|aborted|refused)|disconnected|peer closed|incomplete|stream ended", re.I
)
JSON_MODE = re.compile(r"response_format|json_schema|json_object|json mode|structured output|grammar", re.IGNORECASE)

REMEDIES: Mapping[FailureKind, str] = {
    "rate limited": "Wait, or lower the number of calls at once or of requests a minute.",
    "server error": "Try again later.",
    "time-out": "Raise the time-out, or make fewer calls at once.",
    "connection lost": "See that the server runs and that the address is right, then try again.",
    "refused": "Another model may answer.",
    "unknown model": "Name a model as LiteLLM does, such as openai/NAME for a server with an OpenAI interface.",
    "bad key": "Set the provider's key in the environment, or CUEMEM_API_KEY for a server named by address.",
    "no credit": "Add credit to the account, or use another model.",
    "context too long": "Ask with a smaller budget, or use a model with a longer window.",
    "bad request": "Another model, or another server, may take it.",
}
RETRIED: frozenset[FailureKind] = frozenset({"rate limited", "server error", "time-out", "connection lost"})
LATER: frozenset[FailureKind] = RETRIED | {"truncated", "empty", "not JSON", "schema broken"}


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose call it was: the model's name, and the keys that no sentence may hold."""

    model: str
    keys: tuple[str, ...]

    def failure(self, kind: FailureKind, said: str, **more: int | str | None) -> ChatFailure:
        """A failure of this kind, with what the server said of it in its own words."""
        words = scrub(_short(said), self.keys)
        sentence = f"{self.model}: {_WHAT[kind]}{f' ({words})' if words else ''}. {REMEDIES.get(kind, '')}".strip()
        return ChatFailure(kind, sentence, retryable=kind in LATER, **more)  # type: ignore[arg-type]

    def is_too_long(self, said: str) -> bool:
        """Whether a server says that the prompt exceeds the model's window."""
        return _TOO_LONG.search(said) is not None

    def of(self, error: Exception) -> ChatFailure:
        """What an exception of LiteLLM or of the connection under it means."""
        said = str(error)
        kind = kind_of(error, said)
        return self.failure(kind, said, limit=told_limit(said) if kind == "context too long" else None)


_WHAT: Mapping[FailureKind, str] = {
    "rate limited": "the server takes no more requests for now",
    "server error": "the server had an error",
    "time-out": "no reply came in time",
    "connection lost": "the connection could not be made or broke off",
    "truncated": "the reply was cut off at its token limit",
    "empty": "the reply was empty",
    "refused": "the model or its provider refused to reply",
    "unknown model": "there is no such model",
    "bad key": "the key is missing, wrong or not allowed this",
    "no credit": "the account has no credit left",
    "context too long": "the prompt is longer than the model's window",
    "bad request": "the server did not accept the request",
}


def told_limit(said: str) -> int | None:
    """The window in tokens that a refusal names, None where it names none."""
    found = _LIMIT.search(said)
    return int(found[1].replace(",", "")) if found else None


def kind_of(error: Exception, said: str) -> FailureKind:
    """The kind of a failed call, by the class of the exception, its status and its words."""
    known = litellm().exceptions
    status = getattr(error, "status_code", None)
    if isinstance(error, known.ContextWindowExceededError):
        return "context too long"
    if isinstance(error, known.ContentPolicyViolationError):
        return "refused"
    if isinstance(error, known.PaymentRequiredError) or status == 402 or _NO_CREDIT.search(said):
        return "no credit"
    if isinstance(error, known.Timeout):
        return "time-out"
    if isinstance(error, known.RateLimitError):
        return "rate limited"
    if isinstance(error, known.AuthenticationError | known.PermissionDeniedError) or status in (401, 403):
        return "bad key"
    if isinstance(error, known.NotFoundError) or _NO_PROVIDER.search(said) or _NO_MODEL.search(said):
        return "unknown model"
    if isinstance(error, known.BadRequestError) or (status and 400 <= status < 500):
        return "context too long" if status == 413 or _TOO_LONG.search(said) else "bad request"
    if isinstance(error, known.APIConnectionError) or not status or _lost(error, said):
        return "connection lost"
    return "context too long" if _TOO_LONG.search(said) else "server error"


def _lost(error: BaseException, said: str) -> bool:
    """Whether it was the connection: LiteLLM calls a broken one a server's error, and keeps the cause beside it."""
    import httpx

    cause: BaseException | None = error
    for _ in range(4):
        if cause is None:
            break
        if isinstance(cause, httpx.TransportError):
            return True
        cause = cause.__cause__ or cause.__context__
    return bool(_LOST.search(said))


def retry_after(error: Exception) -> float | None:
    """The seconds that the server asks to wait, where it says so."""
    response = getattr(error, "response", None)
    headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    if millis := headers.get("retry-after-ms"):
        return _number(millis, 1e-3)
    value = headers.get("retry-after")
    if not value:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def _number(text: str, scale: float = 1.0) -> float | None:
    return float(text) * scale if re.fullmatch(r"\s*\d{1,9}(\.\d+)?\s*", text) else None


def _short(text: str) -> str:
    """What the server said, on one line, without LiteLLM's names for it and without its closing full stop."""
    line = " ".join(_PREFIX.sub("", " ".join(text.split())).split())
    return (line if len(line) <= 200 else line[:199] + "…").rstrip(".")
