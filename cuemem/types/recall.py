"""Section 4.3: what a recall gives, stage by stage, and why a turn is or is not in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cuemem.types.dialogue import TurnId
from cuemem.types.gold import Query
from cuemem.types.memory import Cue, Edge

ContextRole = Literal["anchor", "temporal", "semantic", "history", "gold"]


@dataclass(frozen=True, slots=True)
class CueHit:
    """A retrieved cue (or other ranked item that names a turn), ranks from 1.

    ``cosine`` is always the item's cosine with the question, also where the rank comes from more than that.
    """

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
class Statement:
    """A labelled line of a context that holds statements instead of turns, and the turns that it was made from.

    An answer that cites the label is thereby linked to its sources. ``kind`` says what it is ("unit", "fact").
    ``above`` are the lines that open the part of the context that it stands in, the outermost first, ``lead`` what
    stands before it on its own line.
    """

    label: str
    kind: str
    text: str
    turn_ids: tuple[TurnId, ...]
    above: tuple[str, ...] = ()
    lead: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceContext:
    """E_q: the chosen turns in chronological order, as rendered for the model, with the exact token count.

    ``cut`` holds the turns that were chosen but did not fit the budget, in the order of entry. Where the text holds
    ``statements``, the items are the turns they were made from, each with the lines it stands behind: evidence is
    scored on turns either way.
    """

    items: tuple[ContextItem, ...]
    text: str
    tokens: int
    budget: int | None = None
    cut: tuple[ContextItem, ...] = ()
    statements: tuple[Statement, ...] = ()

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

    ``measure`` says what the items' scores are. Stages next to each other that name the same ``group`` ran side by
    side. ``seconds`` is left out of comparisons, so that two equal recalls are equal values.
    """

    name: str
    title: str
    summary: str
    items: tuple[StageItem, ...]
    seconds: float = field(default=0.0, compare=False)
    measure: str = "cosine"
    group: str = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """What a method makes of a query: the context and, stage by stage, how it came about.

    ``ranking`` lists turns best first (expansion not counted), empty where none was found; None where the method
    ranks no turns.
    """

    query: Query
    method: str
    settings: Mapping[str, Any]
    anchors: tuple[Anchor, ...]
    ranking: tuple[TurnId, ...] | None
    context: EvidenceContext
    trace: tuple[Stage, ...]


# "cut by window": chosen, and left out of the prompt since the model's window was too short.
LossStage = Literal[
    "no cue",
    "below m",
    "no unit",
    "below n",
    "below k",
    "cut by budget",
    "cut by window",
    "in context",
    "not ranked",
]


@dataclass(frozen=True, slots=True)
class Change:
    """The least value of one knob, or of the budget, at which a turn is in the context, all others kept."""

    knob: str
    value: int
    symbol: str | None = None

    def __str__(self) -> str:
        return f"{self.symbol or self.knob} = {self.value:,}"


@dataclass(frozen=True, slots=True)
class Step:
    """How far a turn came at one stage of the recall: its best rank there (None: it has none), and what passes.

    ``limit`` is the last rank that passes, None where all do.
    """

    name: str
    title: str
    rank: int | None
    limit: int | None
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the turn got through."""
        return self.rank is not None and (self.limit is None or self.rank <= self.limit)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a turn is, or is not, in the context of a query.

    ``hits`` are the turn's cues by rank over all of C; ``rank`` is the best of them. ``changes`` holds the least
    value of each knob that alone decides whether the turn is in, the others kept: what would recover a lost
    turn, and how far each knob could be lowered before a turn that is in would be lost. A knob that cannot
    bring the turn in within its range is not named. Under a budget ``uncapped`` holds what would bring the turn
    in if there were none. ``steps`` follow the turn through the stages that rank.
    """

    turn_id: TurnId
    stage: LossStage
    role: ContextRole | None
    via: tuple[Edge, ...]
    hits: tuple[CueHit, ...]
    rank: int | None
    changes: tuple[Change, ...]
    sentence: str
    uncapped: tuple[Change, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call used. ``cost`` is None where no price is known, which is not 0."""

    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float | None = None
