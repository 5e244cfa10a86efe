"""The cues above their turns: which are written out, and where they find room without covering each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuemem.types import CueHit
from cuemem.viz.graph.marks import Mark
from cuemem.viz.graph.measure import text_width, wrap
from cuemem.viz.graph.picture import Box, Look

TEXT = 12.0
LINE = 15.0
INSIDE = 6.0  # between the text of a card and its border
GAP = 7.0  # between two cards
WRITTEN = 12  # cues of a lower rank are shown by their number alone
NARROW = 560.0  # a picture of a phone's width
WRITTEN_NARROW = 4
STEM_COST, SHIFT_COST = (
    36.0,
    0.45,
)  # what it costs to cross another cue's line, or to stand aside, in pixels of height


@dataclass(frozen=True, slots=True)
class Card:
    """A cue as it is drawn. ``top`` counts upwards from the foot of the card zone."""

    mark: Mark
    hit: CueHit
    look: Look
    label: str
    x: float
    bottom: float
    width: float
    height: float

    @property
    def top(self) -> float:
        """Its upper border, counted upwards."""
        return self.bottom + self.height


@dataclass(frozen=True, slots=True)
class _Block:
    """The cards of one turn, which stand on each other."""

    mark: Mark
    at: float
    rank: int
    width: float
    cards: tuple[tuple[CueHit, Look, str, float], ...]  # hit, look, label, height; from the top

    @property
    def height(self) -> float:
        return sum(card[3] for card in self.cards) + 2.0 * (len(self.cards) - 1)


def place_cards(marks: Sequence[Mark], places: Sequence[float], width: float, cosines: bool) -> list[Card]:
    """The cards above one row, the best cue's nearest to its turn.

    In order of rank each block takes the place that costs least: low, above its turn, across few others' lines.
    """
    with_cues = [(mark, at) for mark, at in zip(marks, places, strict=True) if mark.hits]
    written = WRITTEN if width >= NARROW else WRITTEN_NARROW
    full = sum(mark.hits[0].rank <= written or not mark.retrieved for mark, _ in with_cues)
    card_width = min(172.0, max(112.0, 2.0 * width / max(full, 1) - GAP), width)
    blocks = [_block(mark, at, card_width, written, cosines) for mark, at in with_cues]
    placed: list[tuple[_Block, float, float]] = []  # block, x, bottom
    for block in sorted(blocks, key=lambda block: (not block.mark.retrieved, block.rank, block.at)):
        placed.append((block, *_best_place(block, placed, width)))
    cards: list[Card] = []
    for block, x, bottom in placed:
        level = bottom + block.height
        for hit, look, label, height in block.cards:
            level -= height
            cards.append(Card(block.mark, hit, look, label, x, level, block.width, height))
            level -= 2.0
    return cards


def _block(mark: Mark, at: float, width: float, written: int, cosines: bool) -> _Block:
    inner = width - 2 * INSIDE
    first = mark.hits[0]
    if first.rank > written and mark.retrieved:
        label = f"#{first.rank}"
        pill = (first, "cue small", label, LINE + 5)
        return _Block(mark, at, first.rank, text_width(label, TEXT) + 12, (pill,))  # type: ignore[arg-type]
    cards: list[tuple[CueHit, Look, str, float]] = []
    for place, hit in enumerate(mark.hits[:6]):
        look: Look = "cue lost" if not mark.retrieved else "cue first" if hit.rank <= 3 else "cue"
        number = f"#{hit.rank:,}" + (f" · {hit.cosine:.2f}" if cosines else "")
        lines = wrap(f"{number} {hit.cue.text}", inner - 4, TEXT, 3 if place == 0 else 1)
        cards.append((hit, look, "\n".join(lines), len(lines) * LINE + 8))
    return _Block(mark, at, first.rank, width, tuple(cards))


def _best_place(block: _Block, placed: Sequence[tuple[_Block, float, float]], width: float) -> tuple[float, float]:
    """The x and the bottom of a block among those that stand already."""
    half = block.width / 2
    reach = max(0.0, half - 9.0)
    best: tuple[float, float, float] | None = None
    for share in (0.0, -0.35, 0.35, -0.7, 0.7, -1.0, 1.0):
        x = min(max(block.at + share * reach, half + 1), width - half - 1)
        bottom = _lowest(block, x, placed)
        crossed = sum(_crosses(block, x, bottom, other, ox, ob) for other, ox, ob in placed)
        cost = bottom + SHIFT_COST * abs(x - block.at) + STEM_COST * crossed
        if best is None or cost < best[0] - 1e-9:
            best = (cost, x, bottom)
    assert best is not None
    return best[1], best[2]


def _lowest(block: _Block, x: float, placed: Sequence[tuple[_Block, float, float]]) -> float:
    """The lowest bottom at which a block at x touches nothing."""
    levels = sorted({0.0, *(bottom + other.height + GAP for other, _, bottom in placed)})
    for level in levels:
        own = Box(x, level + block.height / 2, block.width, block.height)
        if not any(own.meets(Box(ox, ob + o.height / 2, o.width, o.height), GAP - 0.5) for o, ox, ob in placed):
            return level
    return levels[-1]


def _crosses(block: _Block, x: float, bottom: float, other: _Block, other_x: float, other_bottom: float) -> bool:
    """Whether one of two blocks stands on the line from the other, higher one down to its turn."""
    if bottom < other_bottom:
        return abs(other.at - x) < block.width / 2 + 3
    return abs(block.at - other_x) < other.width / 2 + 3
