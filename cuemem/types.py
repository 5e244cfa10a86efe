"""The domain, in the paper's terms: frozen values that every part of the project passes around.

Vectors never live in here; they stay beside these tuples as ``Matrix  # (n, d) float32``.
Times are naive: the datasets name no time zone, so a day can never shift.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Matrix: TypeAlias = npt.NDArray[np.float32]  # (n, d), rows of unit length
Indices: TypeAlias = npt.NDArray[np.int64]
TurnId: TypeAlias = str
ConversationId: TypeAlias = str

TurnUnit = Literal["utterance", "exchange"]
TurnUnitChoice = Literal["auto", "utterance", "exchange"]
SpeakerRole = Literal["user", "assistant", "speaker"]
EdgeKind = Literal["temporal", "semantic"]
ContextRole = Literal["anchor", "temporal", "semantic", "history", "gold"]


# --- section 3: the dialogue history -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message by one speaker. ``utterance_id`` is unique within its conversation ("D1:3", "S1:3.1")."""

    utterance_id: str
    session: int
    speaker: str
    text: str
    time: datetime | None = None
    role: SpeakerRole = "speaker"
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A temporally contiguous block of utterances. ``source_id`` may leak the gold: shown, never retrieved."""

    number: int
    time: datetime | None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The dialogue history D, before it is cut into turns.

    Keyed by the file it came from and its position in it; ``dataset`` and ``sample_id`` are for people.
    Utterances are in chronological order and each names a session in ``sessions``.
    """

    conversation_id: ConversationId
    dataset: str
    sample_id: str
    sessions: tuple[Session, ...]
    utterances: tuple[Utterance, ...]

    @property
    def title(self) -> str:
        """Dataset and sample, the way people name a conversation: ``locomo/conv-26``."""
        return f"{self.dataset}/{self.sample_id}"

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers in the order of their first utterance."""
        return tuple(dict.fromkeys(utterance.speaker for utterance in self.utterances))


@dataclass(frozen=True)
class Turn:
    """u_i: one utterance or one exchange, at 0-based place ``index`` of the chronological sequence."""

    turn_id: TurnId
    index: int
    utterances: tuple[Utterance, ...]

    @property
    def session(self) -> int:
        """The session that the turn lies in; a turn never crosses a session border."""
        return self.utterances[0].session

    @property
    def time(self) -> datetime | None:
        """The time the turn was said, None where the data gives none."""
        return self.utterances[0].time

    @cached_property
    def text(self) -> str:
        """``Name: text (image: caption)``, a line for each utterance: what every method embeds and shows."""
        return "\n".join(spoken(utterance) for utterance in self.utterances)


def spoken(utterance: Utterance) -> str:
    """An utterance as it is read: ``Name: text (image: caption)``."""
    caption = f" (image: {utterance.caption})" if utterance.caption else ""
    return f"{utterance.speaker}: {utterance.text}{caption}"


# --- questions: gold stays here and never reaches a method ------------------------------------------------------


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


# --- section 4.1: cues ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Triple:
    """t_i = (subject, relation, object)."""

    subject: str
    relation: str
    object: str

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.object}"


@dataclass(frozen=True, slots=True)
class Cue:
    """c_i = (t_i, τ_i): a triple or a statement, and the turn it points to.

    ``index`` is its place in C, by which ties are broken; cues are ordered by source turn.
    """

    index: int
    turn_id: TurnId
    content: Triple | str

    @property
    def text(self) -> str:
        """The embedded text: "subject relation object", or the statement."""
        return str(self.content)


# --- section 4.2: the turn graph --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge (v_source, v_target). ``rank`` is the temporal distance, or the neighbour rank from 1.

    A semantic edge carries the cosine of the cue pair that made it and the two cues' indices.
    """

    source: TurnId
    target: TurnId
    kind: EdgeKind
    rank: int
    cosine: float | None = None
    source_cue: int | None = None
    target_cue: int | None = None


@dataclass(frozen=True, slots=True)
class TurnGraph:
    """G = (V, E): the turns in chronological order and the edges, sorted by source, kind and rank."""

    turn_ids: tuple[TurnId, ...]
    edges: tuple[Edge, ...] = ()


# --- section 4.3: what a recall gives ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CueHit:
    """A retrieved cue (or other ranked item that names a turn), ranks from 1."""

    rank: int
    cosine: float
    cue: Cue


@dataclass(frozen=True, slots=True)
class Anchor:
    """A turn that holds retrieved cues; ``rank`` is its place among the anchors (A1, A2, …)."""

    rank: int
    turn_id: TurnId
    hits: tuple[CueHit, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A turn chosen for the context, why it is there, and what it costs.

    ``via`` holds the edges that reached it, the deciding one first; ``text`` is the turn as rendered (perhaps
    shortened); ``tokens`` counts that text alone. ``entry`` is its place in the order of entry, from 1.
    ``cut`` is None for a turn that is in the context, else the reason it was left out.
    """

    turn_id: TurnId
    role: ContextRole
    entry: int
    tokens: int
    text: str
    via: tuple[Edge, ...] = ()
    shortened: bool = False
    cut: str | None = None


@dataclass(frozen=True, slots=True)
class EvidenceContext:
    """E_q: the chosen turns in chronological order, as rendered for the model, with the exact token count.

    ``cut`` holds the turns that were chosen but did not fit the budget, in the order of entry.
    """

    items: tuple[ContextItem, ...]
    text: str
    tokens: int
    budget: int | None = None
    cut: tuple[ContextItem, ...] = ()

    @property
    def turn_ids(self) -> tuple[TurnId, ...]:
        """The turns of the context in chronological order."""
        return tuple(item.turn_id for item in self.items)


@dataclass(frozen=True, slots=True)
class StageItem:
    """A row of a stage: what it is, the turn it points to, its rank and its score where it has them."""

    label: str
    turn_id: TurnId | None = None
    rank: int | None = None
    score: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a recall as it happened: what came out of it, and how long it took.

    ``seconds`` is left out of comparisons, so that two equal recalls are equal values.
    """

    name: str
    title: str
    summary: str
    items: tuple[StageItem, ...]
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Recall:
    """What a method makes of a query: the context and, stage by stage, how it came about.

    ``ranking`` lists turns best first where the method ranks turns (expansion not counted), else is empty.
    """

    query: Query
    method: str
    settings: Mapping[str, Any]
    anchors: tuple[Anchor, ...]
    ranking: tuple[TurnId, ...]
    context: EvidenceContext
    trace: tuple[Stage, ...]


LossStage = Literal["no cue", "below m", "cut by budget", "in context", "not ranked"]


@dataclass(frozen=True, slots=True)
class Change:
    """The smallest change of one knob that would bring a turn in, all others kept."""

    knob: str
    value: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a turn is, or is not, in the context of a query.

    ``hits`` are the turn's cues by rank over all of C. ``rank`` is the best of them. ``changes`` holds, for each
    knob that can alone bring the turn in, its least value; a turn already in the context needs none, and
    there ``changes`` holds the least value of each knob at which it stays in, the others kept.
    """

    turn_id: TurnId
    stage: LossStage
    role: ContextRole | None
    via: tuple[Edge, ...]
    hits: tuple[CueHit, ...]
    rank: int | None
    changes: tuple[Change, ...]
    sentence: str


# --- answers -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call used. ``cost`` is None where no price is known, which is not 0."""

    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float | None = None
