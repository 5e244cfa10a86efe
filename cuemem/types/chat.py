"""What is asked of a language model, and what comes back. No key is ever part of either."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from cuemem.types.recall import Usage

Speaker = Literal["system", "user", "assistant"]
JsonSchema: TypeAlias = Mapping[str, Any]

FailureKind = Literal[
    "rate limited",
    "server error",
    "time-out",
    "connection lost",
    "truncated",
    "empty",
    "refused",
    "not JSON",
    "schema broken",
    "unknown model",
    "bad key",
    "no credit",
    "context too long",
    "bad request",
    "no model",
    "not recorded",
]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """Which prompt a result came from: its name, the hash of its text, and whether the user put it there."""

    name: str
    hash: str
    own: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.hash}{' (your own)' if self.own else ''}"


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt with its parameters. ``schema`` asks for JSON of that schema, None for text.

    ``about`` is the conversation that the request draws on, so that its replies go when it goes; it is no part
    of the key. ``repeat`` counts how often the same is asked on purpose: 0 for the first time, and each repetition
    has a reply of its own.
    """

    messages: tuple[Message, ...]
    prompt: PromptVersion
    schema: JsonSchema | None = None
    max_tokens: int = 1024
    temperature: float = 0.0
    about: str = ""
    repeat: int = 0

    def key(self, model: str) -> str:
        """What a reply is kept under: model, messages, parameters and prompt version, hashed."""
        parts: list[Any] = [
            model,
            [asdict(message) for message in self.messages],
            self.schema,
            self.max_tokens,
            self.temperature,
            self.prompt.name,
            self.prompt.hash,
        ]
        if self.repeat:
            parts.append(self.repeat)
        return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    @property
    def text(self) -> str:
        """The exact prompt as people read it."""
        return "\n\n".join(f"[{message.role}]\n{message.text}" for message in self.messages)


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A usable reply. Where a schema was asked for, ``text`` is JSON that satisfies it.

    ``cached``: it was asked for before and cost nothing now; ``usage`` is then that of the first time. ``recorded``:
    it came with the project or was imported, so it was asked elsewhere. ``tried`` is how many requests were made for
    it, those that had failed too. ``asked_at`` is aware and in UTC.
    """

    text: str
    usage: Usage
    finish_reason: str
    model: str
    cached: bool = False
    recorded: bool = False
    asked_at: datetime | None = None
    tried: int = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a model gave nothing usable, as data: counted, stored, shown, and retried on request."""

    kind: FailureKind
    sentence: str
    retryable: bool

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"
