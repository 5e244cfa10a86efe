"""Questions and their gold, which stays here and never reaches a method, and the problems of a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

WRONG_CITATION = "WRONG_CITATION"


@dataclass(frozen=True, slots=True)
class Query:
    """q as a method sees it: text and, where the dataset gives one, the time it was asked."""

    text: str
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of gold evidence as cited in the file, and what it resolves to.

    ``utterance_id`` is None for evidence that is known by session only; both are None where the citation
    cannot be resolved, which is reported and never counted as a retrieval miss.
    """

    cited: str
    utterance_id: str | None = None
    session: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold. ``index`` is its place in the file, from 0, and its only key.

    ``answer`` keeps the JSON type of the file. ``category_number`` is LoCoMo's integer, None elsewhere.
    ``adversarial_answer`` is the trap of a LoCoMo category-5 question: giving it is wrong.
    """

    index: int
    text: str
    answer: Any
    category: str
    category_number: int | None = None
    time: datetime | None = None
    evidence: tuple[Evidence, ...] = ()
    abstention: bool = False
    adversarial_answer: Any = None

    @property
    def query(self) -> Query:
        """What a method may know of the question."""
        return Query(self.text, self.time)

    @property
    def gold_utterances(self) -> tuple[str, ...]:
        """The resolved gold utterances, each once, in the order cited."""
        return tuple(dict.fromkeys(e.utterance_id for e in self.evidence if e.utterance_id is not None))

    @property
    def gold_sessions(self) -> tuple[int, ...]:
        """The sessions that hold gold, each once, in the order cited."""
        return tuple(dict.fromkeys(e.session for e in self.evidence if e.session is not None))

    @property
    def unanswerable(self) -> bool:
        """The right reply is that it was not mentioned (LoCoMo category 5, LongMemEval abstention)."""
        return self.abstention or self.category_number == 5


@dataclass(frozen=True, slots=True)
class Flag:
    """What a list of known faults says of a question's gold. ``kind`` is in the list's own words.

    ``correct_answer`` and ``correct_evidence`` are None where the list has none; no evidence at all is an empty
    tuple, and says that nothing in the conversation answers the question. ``source`` is the list's name.
    """

    kind: str
    reasoning: str = ""
    correct_answer: Any = None
    correct_evidence: tuple[Evidence, ...] | None = None
    source: str = ""

    @property
    def answer_is_wrong(self) -> bool:
        """Whether the gold answer itself is faulty; with WRONG_CITATION only the cited evidence is."""
        return self.kind.strip().upper() != WRONG_CITATION


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that is not as it should be, with its place, and what was done about it.

    ``kind`` is a short fixed word for filters ("evidence repaired", "evidence unresolved", "no evidence",
    "date unknown", …); ``place`` names file, sample, question or turn; ``detail`` is a sentence.
    """

    kind: str
    place: str
    detail: str
    sample_id: str = ""
    question_index: int | None = None
