"""Fakes at the ports, for speed and for hand-worked cases; the real parts have tests of their own."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from cuemem.ports import Extraction, Models
from cuemem.types import (
    ChatReply,
    ChatRequest,
    Conversation,
    Interval,
    Matrix,
    MemoryUnit,
    Query,
    QueryParse,
    Session,
    Triple,
    Turn,
    TurnId,
    Usage,
    Utterance,
    Window,
)
from cuemem.unit_ports import UnitExtraction


class AngleEmbedder:
    """Embeds "… @30" as the unit vector at 30 degrees, so that cosines can be worked out by hand."""

    name = "angles"

    def encode(self, texts: Sequence[str]) -> Matrix:
        angles = np.radians([float(text.rpartition("@")[2]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32).reshape(len(texts), 2)


class HashEmbedder:
    """Embeds a text by its hash, in few dimensions and coarse steps so that ties are common."""

    name = "hashes"

    def __init__(self, dimensions: int = 4, steps: int = 3) -> None:
        self.dimensions, self.steps = dimensions, steps
        self.calls = 0

    def encode(self, texts: Sequence[str]) -> Matrix:
        self.calls += 1
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for line, text in enumerate(texts):
            digest = hashlib.sha256(text.encode()).digest()
            rows[line] = [digest[place] % self.steps - self.steps // 2 for place in range(self.dimensions)]
            if not rows[line].any():
                rows[line, 0] = 1
        return np.ascontiguousarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


class WordTokens:
    """A token a word."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def shorten(self, text: str, limit: int) -> str:
        words = text.split()
        if len(words) <= limit:
            return text
        kept = max(0, limit - 6)
        head, tail = (kept + 1) // 2, kept // 2
        mark = f"[… {len(words) - kept} tokens left out …]"
        return " ".join([*words[:head], mark, *words[len(words) - tail :]])


class KeptArrays(dict[str, Mapping[str, npt.NDArray[Any]]]):
    """An array cache in memory."""

    def put(self, key: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self[key] = arrays


class GivenCues:
    """A cue source that gives what it was told, turn by turn."""

    name = "given"
    provenance: Mapping[str, str] = {}

    def __init__(self, cues: Mapping[TurnId, Sequence[Triple | str]]) -> None:
        self.given = cues
        self.asked: list[TurnId] = []

    def extract(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterable[Extraction]:
        for turn in turns:
            self.asked.append(turn.turn_id)
            # Under exchanges the cues of all utterances in the turn are the turn's.
            parts = [turn.turn_id, *(u.utterance_id for u in turn.utterances if u.utterance_id != turn.turn_id)]
            yield Extraction(turn.turn_id, tuple(cue for part in parts for cue in self.given.get(part, ())))


class GivenUnits:
    """A unit source that makes a unit of each text it was told, "cue 7": every third reaches into the next turn."""

    name = "given"
    provenance: Mapping[str, str] = {}

    def __init__(self, facts: Mapping[TurnId, Sequence[Triple | str]]) -> None:
        self.given = facts

    def extract(
        self, conversation: Conversation, windows: Sequence[Window], anew: Collection[int] = ()
    ) -> Iterable[UnitExtraction]:
        for window in windows:
            units: list[MemoryUnit] = []
            for at, line in enumerate(window.lines):
                for text in self.given.get(line.utterance_id, ()):
                    number = int(str(text).rpartition(" ")[2])
                    last = window.lines[min(at + (number % 3 == 0), len(window.lines) - 1)]
                    if last in window.new:
                        units.append(unit_of(f"{window.position}.{len(units)}", line, last, str(text), number))
            yield UnitExtraction(window.position, tuple(units))


def unit_of(unit_id: str, first: Utterance, last: Utterance, text: str, number: int) -> MemoryUnit:
    days = (Interval(f"2024-0{1 + number % 9}", f"2024-0{1 + number % 9}", "month"),) if number % 4 == 0 else ()
    return MemoryUnit(
        0,
        unit_id,
        first.utterance_id,
        last.utterance_id,
        text,
        Triple(first.speaker, "says", text),
        (first.speaker, f"thing {number % 5}"),
        ("lake",) if number % 2 else (),
        days,
    )


class GivenParses:
    """Parses "cue 7" into constraints that some units meet; every seventh question has not been parsed."""

    name = "given"

    def parse(self, query: Query) -> QueryParse | None:
        number = int(query.text.rpartition(" ")[2])
        if number % 7 == 6:
            return None
        month = Interval(f"2024-0{1 + number % 9}", f"2024-0{1 + number % 9}", "month")
        return QueryParse(
            ("Ada", f"thing {number % 5}"), ("lake",) if number % 2 else (), (month,) if number % 3 else ()
        )


class LengthReranker:
    """Scores a document by its length and the question's, coarsely, so that ties are common."""

    name = "length"
    dear = False

    def score(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        return [float((len(text) + len(query)) % 4) for text in documents]


def models(cues: Mapping[TurnId, Sequence[Triple | str]], embedder: Any = None) -> Models:
    return Models(
        embedder or HashEmbedder(),
        WordTokens(),
        {"given": GivenCues(cues)},
        KeptArrays(),
        unit_sources={"given": GivenUnits(cues)},
        parsers={"imported": GivenParses(), "llm": GivenParses()},
        rerankers={"cross-encoder": LengthReranker(), "chat": LengthReranker()},
    )


def talk(*sessions: int, start: datetime = datetime(2024, 3, 1, 9, 0)) -> Conversation:
    """A conversation of two people: ``talk(5, 3)`` has two sessions of five and of three utterances."""
    utterances, heads = [], []
    for number, size in enumerate(sessions, 1):
        time = start + timedelta(days=30 * (number - 1))
        heads.append(Session(number, time))
        for place in range(1, size + 1):
            speaker = ("Ada", "Ben")[place % 2]
            words = f"word {place} of session {number}" + " and more" * ((place * 7 + number) % 5)
            utterances.append(Utterance(f"D{number}:{place}", number, speaker, words, time))
    return Conversation("test/0", "locomo", "test", tuple(heads), tuple(utterances))


def close(left: float, right: float) -> bool:
    return math.isclose(left, right, abs_tol=2e-6)


class ScriptedChat:
    """A model at the port that says what a function of the request says; every request is logged. Thread-safe."""

    window: int | None = None

    def __init__(self, name: str, respond: Callable[[ChatRequest], str]) -> None:
        self.name, self.respond = name, respond
        self.price: float | None = None  # of a token
        self.log: list[ChatRequest] = []

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        return None if self.price is None else self.price * (tokens_in + tokens_out)

    def count(self, request: ChatRequest) -> int:
        return self.log.count(request)

    def complete(self, request: ChatRequest) -> ChatReply:
        self.log.append(request)
        text = self.respond(request)
        tokens = len(request.text.split()), len(text.split())
        return ChatReply(text, Usage(*tokens, 0.5, self.cost(*tokens)), "stop", self.name)
