"""What a picture shows: the turns of a recall with their roles, and the cues that stand above them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from cuemem.context import said
from cuemem.types import Anchor, ContextItem, ContextRole, CueHit, Edge, Explanation, Recall, Turn, TurnId
from cuemem.viz.graph.picture import Look

TITLE_LENGTH = 280


@dataclass(frozen=True, slots=True)
class Mark:
    """A turn in a picture. ``role`` None: it is in no context; ``cut``: it was chosen, but the budget cut it."""

    turn: Turn
    role: ContextRole | None
    gold: bool
    anchor_rank: int | None = None
    cut: bool = False
    via: tuple[Edge, ...] = ()
    hits: tuple[CueHit, ...] = ()  # what was retrieved of it; for gold that is no anchor its best cue
    retrieved: bool = False

    @property
    def node_id(self) -> str:
        """The id of its node."""
        return f"turn {self.turn.turn_id}"

    def hit_id(self, hit: CueHit) -> str:
        """The id of the node of something retrieved: what points to several turns has one above each."""
        return f"cue {hit.cue.index} {hit.cue.turn_id}"

    @property
    def missed(self) -> bool:
        """Gold that is not in the context."""
        return self.gold and (self.role is None or self.cut)

    @property
    def look(self) -> Look:
        """Colour and shape."""
        if self.missed:
            return "missed"
        if self.cut:
            return "cut"
        match self.role:
            case None:
                return "other"
            case "anchor":
                return "found anchor" if self.gold else "anchor"
            case "temporal":
                return "found temporal" if self.gold else "temporal"
            case "semantic":
                return "found semantic" if self.gold else "semantic"
            case _:
                return "found history" if self.gold else "history"

    @property
    def label(self) -> str:
        """What is written in or under it."""
        if self.missed:
            return "miss"
        if self.anchor_rank is not None and not self.cut:
            return f"A{self.anchor_rank}"
        return "gold" if self.gold else ""


def marks_of(
    recall: Recall,
    gold: Collection[TurnId],
    turns: Mapping[TurnId, Turn],
    explanations: Mapping[TurnId, Explanation],
    everything: bool = False,
) -> tuple[Mark, ...]:
    """The turns of a picture in chronological order: chosen, cut, or missed gold; or every turn there is."""
    anchors = {anchor.turn_id: anchor for anchor in recall.anchors}
    chosen = {item.turn_id: item for item in (*recall.context.items, *recall.context.cut)}
    shown = turns.keys() if everything else {*chosen, *gold}
    return tuple(
        _mark(turn, chosen.get(turn_id), anchors.get(turn_id), turn_id in gold, explanations.get(turn_id))
        for turn_id, turn in turns.items()
        if turn_id in shown
    )


def _mark(
    turn: Turn, item: ContextItem | None, anchor: Anchor | None, gold: bool, explanation: Explanation | None
) -> Mark:
    best = explanation.hits[:1] if gold and explanation else ()
    if item is None:
        return Mark(turn, None, gold, hits=best)
    if anchor is None:
        return Mark(turn, item.role, gold, None, item.cut is not None, item.via, best)
    return Mark(turn, item.role, gold, anchor.rank, item.cut is not None, item.via, anchor.hits, retrieved=True)


def title_of(mark: Mark, length: int = TITLE_LENGTH) -> str:
    """What the pointer shows over a turn: where it stands, why it is there, how it begins."""
    turn = mark.turn
    head = f"{turn.turn_id} · session {turn.session} · {said(turn.time)}"
    return f"{head}\n{status_of(mark)}\n{clipped(turn.text, length)}"


def status_of(mark: Mark) -> str:
    """Why a turn is in the picture, in words."""
    gold = "gold, " if mark.gold else ""
    if mark.role is None:
        return "gold, not in the context" if mark.gold else "not in the context"
    if mark.role == "anchor":
        how = "anchor" if mark.anchor_rank is None else f"anchor A{mark.anchor_rank}"
    elif mark.via:
        how = f"{mark.role} neighbour: {'; '.join(edge_words(edge) for edge in mark.via[:3])}"
    else:
        how = mark.role
    return f"{gold}{how}{', cut by the budget' if mark.cut else ''}"


def edge_words(edge: Edge) -> str:
    """An edge in words, as seen from its target."""
    if edge.kind == "temporal":
        return f"{edge.rank} turn{'s' if edge.rank > 1 else ''} from {edge.source}"
    cosine = "" if edge.cosine is None else f", cosine {edge.cosine:.3f}"
    return f"linked to a cue of {edge.source} (neighbour {edge.rank}{cosine})"


def clipped(text: str, length: int) -> str:
    """The beginning of a text."""
    return text if len(text) <= length else text[:length].rstrip() + "…"


def sentence_of(marks: Sequence[Mark], recall: Recall) -> str:
    """The result of a recall in one sentence: the picture's alternative text."""
    context = recall.context
    turns = f"{_count(len(context.items), 'turn')} and {context.tokens:,} tokens of context"
    leads = "leads" if len(recall.anchors) == 1 else "lead"
    anchors = f"{_count(len(recall.anchors), 'anchor')} {leads} to"
    head = f"{anchors if recall.anchors else 'The context is'} {turns}"
    cut = f" ({len(context.cut)} more were cut by the budget)" if context.cut else ""
    return f"{head}{cut}; {_gold_words(marks)}."


def _gold_words(marks: Sequence[Mark]) -> str:
    gold = [mark for mark in marks if mark.gold]
    missed = [mark.turn.turn_id for mark in gold if mark.missed]
    match len(gold), len(missed):
        case 0, _:
            return "no gold turn is known for this question"
        case 1, 0:
            return "the gold turn is among them"
        case 2, 0:
            return "both gold turns are among them"
        case count, 0:
            return f"all {count} gold turns are among them"
        case 1, 1:
            return f"the gold turn {missed[0]} is missing"
        case count, lost:
            return f"{count - lost} of {count} gold turns are among them, missing: {', '.join(missed)}"


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
