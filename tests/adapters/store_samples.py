"""Small conversations, and random ones, for the tests of the store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from cuemem.adapters.store import Store
from cuemem.ports import Extraction
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Evidence, Matrix, Problem, Question, Session, Triple, Utterance

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the store takes: the shape of a dataset reader's product."""

    conversation: Conversation
    questions: tuple[Question, ...] = ()
    problems: tuple[Problem, ...] = ()
    observations: tuple[tuple[str, str], ...] = ()


def sha(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def sample(file: str = "file", position: int = 0, sample_id: str = "conv-26", utterances: int = 6) -> Loaded:
    """Two sessions, so many utterances, two questions, a problem and an observation."""
    start = datetime(2023, 5, 8, 13, 56)
    spoken = tuple(
        Utterance(
            f"D{1 + 2 * i // utterances}:{i}",
            1 + 2 * i // utterances,
            "Ann" if i % 2 == 0 else "Bob",
            f"{sample_id} says {i}",
            start + timedelta(days=2 * i // utterances),
            caption="a cat" if i == 1 else None,
        )
        for i in range(utterances)
    )
    sessions = (Session(1, start, "answer_1"), Session(2, start + timedelta(days=1)))
    conversation = Conversation(f"{sha(file)[:16]}/{position}", "locomo", sample_id, sessions, spoken)
    questions = (
        Question(0, "When?", 2022, "temporal", 2, evidence=(Evidence("D1:0", "D1:0", 1), Evidence("D"))),
        Question(1, "Why?", None, "adversarial", 5, datetime(2023, 6, 1), adversarial_answer=["no", None]),
    )
    problems = (Problem("evidence unresolved", "question 0", "D names no turn.", sample_id, 0),)
    return Loaded(conversation, questions, problems, (("D1:0", "Ann says 0."), ("D1:1", "Bob has a cat.")))


def load(store: Store, loaded: Iterable[Loaded], file: str = "file", **more: bool) -> tuple[int, int]:
    """Load a file of these conversations; how many were added and skipped."""
    with store.loading(sha(file), f"{file}.json", "locomo", "locomo", 123, "LoCoMo", **more) as progress:
        for one in loaded:
            progress.add(one)
    return progress.added, progress.skipped


def extractions(conversation: Conversation, source: str = "a") -> list[Extraction]:
    """For each utterance a triple and a statement, except for the third (no cue) and the fourth (a failure)."""
    made = [
        Extraction(t.turn_id, (Triple("it", f"is {i}", source), f"statement {i}"))
        for i, t in enumerate(cut_turns(conversation, "utterance"))
    ]
    made[2] = replace(made[2], contents=())
    made[3] = replace(made[3], contents=(), failure="no JSON came back")
    return made


class FakeEmbedder:
    """Vectors of unit length that depend on the text and on the batch it came in, as those of real models do."""

    def __init__(self, name: str = "fake", width: int = 8) -> None:
        self.name = name
        self.width = width
        self.calls: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Matrix:
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.width), np.float32)
        for row, text in zip(rows, texts, strict=True):
            seed = int.from_bytes(hashlib.sha256(f"{self.name}{text}{len(texts)}".encode()).digest()[:4])
            row[:] = np.random.default_rng(seed).standard_normal(self.width)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# --- random conversations ----------------------------------------------------------------------------------------

_texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", "a\nb\r\n", "\u2028\u2029", "\0", "a\0b", "👩‍👩‍👧 é e\u0301", "'; DROP TABLE files; --", "NULL"]
    ),
    st.integers(50_000, 80_000).map(lambda n: "långt " * (n // 6)),
)
_times = st.none() | st.datetimes()
_names = st.text(min_size=1, max_size=8)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=5,
)
_numbers = st.integers(-(2**31), 2**31 - 1)
_optional = st.none() | _texts
_evidence = st.builds(Evidence, _texts, _optional, st.none() | _numbers)
_problems = st.builds(Problem, _texts, _texts, _texts, _texts, st.none() | _numbers)


@st.composite
def random_loaded(draw: st.DrawFn) -> Loaded:
    """A small conversation of any content; only what the domain promises holds: ids and indices are unique."""
    numbers = draw(st.lists(_numbers, max_size=3, unique=True))
    sessions = tuple(Session(n, draw(_times), draw(_optional)) for n in numbers)
    ids = draw(st.lists(_names, max_size=5, unique=True)) if numbers else []
    role = st.sampled_from(["user", "assistant", "speaker"])
    utterances = tuple(
        Utterance(
            i, draw(st.sampled_from(numbers)), draw(_texts), draw(_texts), draw(_times), draw(role), draw(_optional)
        )
        for i in ids
    )
    questions = tuple(
        Question(
            index,
            draw(_texts),
            draw(_json),
            draw(_texts),
            draw(st.none() | _numbers),
            draw(_times),
            tuple(draw(st.lists(_evidence, max_size=3))),
            draw(st.booleans()),
            draw(_json),
        )
        for index in sorted(draw(st.sets(st.integers(0, 2000), max_size=3)))
    )
    return Loaded(
        Conversation("", draw(_texts), draw(_texts), sessions, utterances),
        questions,
        tuple(draw(st.lists(_problems, max_size=3))),
        tuple(draw(st.lists(st.tuples(_texts, _texts), max_size=3))),
    )
