"""How good extracted cues are: recall of the facts of a small gold set, and precision of the triples.

A triple matches a fact of its turn when every number of the fact is in the triple, and either their stemmed words
agree by an F1 of at least 0.5 or their embeddings by a cosine of at least 0.75. It is a rule, not a reader: see
docs/notes/models.md for what it gets wrong.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cuemem.errors import BadInput
from cuemem.evaluation.f1 import stems
from cuemem.ports import Embedder, Extraction
from cuemem.types import Matrix, Triple, TurnId

WORDS, MEANING = 0.5, 0.75
# Words that tell nothing apart, as Porter leaves them: "has" is "ha", "this" is "thi", "his" is "hi".
_COMMON = frozenset(
    stem
    for stems_ in (
        ("is", "was", "were", "be", "been", "ha", "have", "had", "not"),
        ("at", "in", "on", "of", "to", "for", "with", "from", "by", "as", "than", "or"),
        ("it", "that", "thi", "there", "who", "hi", "her", "she", "he", "they"),
    )
    for stem in stems_
)
_NUMBER = re.compile(r"\d+")
_SHAPE = '{"conversation": "lakeside", "turn_id": "D1:2", "facts": [["Kofi", "eats", "porridge"]]}'


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """The facts that a reader found in one turn (one utterance); none for small talk."""

    conversation: str
    turn_id: TurnId
    facts: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class TurnQuality:
    """One turn: which facts were found, which triples match a fact. ``failure`` is why nothing came, if it failed."""

    gold: GoldTurn
    found: tuple[bool, ...]
    contents: tuple[Triple | str, ...]
    right: tuple[bool, ...]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Quality:
    """Sums over the turns. The facts of a failed turn count as missed."""

    rows: tuple[TurnQuality, ...]

    @property
    def facts(self) -> int:
        """Facts in the gold set."""
        return sum(len(row.found) for row in self.rows)

    @property
    def found(self) -> int:
        """Facts that a triple of their turn matches."""
        return sum(sum(row.found) for row in self.rows)

    @property
    def triples(self) -> int:
        """Triples that were extracted."""
        return sum(len(row.right) for row in self.rows)

    @property
    def right(self) -> int:
        """Triples that match a fact of their turn."""
        return sum(sum(row.right) for row in self.rows)

    @property
    def failed(self) -> int:
        """Turns that failed."""
        return sum(row.failure is not None for row in self.rows)

    @property
    def quiet(self) -> tuple[int, int]:
        """Turns of small talk that were rightly left empty, and all turns of small talk."""
        quiet = [row for row in self.rows if not row.gold.facts]
        return sum(not row.contents and row.failure is None for row in quiet), len(quiet)

    @property
    def recall(self) -> float | None:
        """Found facts out of all facts."""
        return self.found / self.facts if self.facts else None

    @property
    def precision(self) -> float | None:
        """Right triples out of all triples; None without any."""
        return self.right / self.triples if self.triples else None


def read_gold(lines: Iterable[str]) -> tuple[GoldTurn, ...]:
    """The gold set, a turn a line. Raises BadInput with the line that cannot be read."""
    turns = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            facts = tuple(Triple(*map(str, fact)) for fact in value["facts"])
            turns.append(GoldTurn(value["conversation"], value["turn_id"], facts))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"Line {number} of the gold set is not like {_SHAPE} ({error!r}).") from error
    return tuple(turns)


def measure_extraction(
    gold: Sequence[GoldTurn], extractions: Mapping[tuple[str, TurnId], Extraction], embedder: Embedder
) -> Quality:
    """Score what was extracted of the gold turns, by conversation and turn; a turn that is missing has failed."""
    made = [extractions.get((turn.conversation, turn.turn_id)) for turn in gold]
    pairs = [
        ([str(fact) for fact in turn.facts], [str(content) for content in extraction.contents] if extraction else [])
        for turn, extraction in zip(gold, made, strict=True)
    ]
    vectors = _vectors([text for facts, triples in pairs for text in (*facts, *triples)], embedder)
    rows = []
    for turn, extraction, (facts, triples) in zip(gold, made, pairs, strict=True):
        matches = [[_match(fact, triple, vectors) for triple in triples] for fact in facts]
        rows.append(
            TurnQuality(
                turn,
                tuple(any(row) for row in matches),
                extraction.contents if extraction else (),
                tuple(any(row[place] for row in matches) for place in range(len(triples))),
                extraction.failure if extraction else "it was not extracted",
            )
        )
    return Quality(tuple(rows))


def _vectors(texts: Sequence[str], embedder: Embedder) -> dict[str, Matrix]:
    unique = list(dict.fromkeys(texts))
    return dict(zip(unique, embedder.encode(unique), strict=True)) if unique else {}


def _match(fact: str, triple: str, vectors: Mapping[str, Matrix]) -> bool:
    if not _numbers(fact) <= _numbers(triple):
        return False
    return _word_f1(fact, triple) >= WORDS or float(vectors[fact] @ vectors[triple]) >= MEANING


def _word_f1(one: str, other: str) -> float:
    left, right = (Counter(stem for stem in stems(text) if stem not in _COMMON) for text in (one, other))
    same = (left & right).total()
    return 2 * same / (left.total() + right.total()) if same else 0.0


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text.replace(",", "")))
