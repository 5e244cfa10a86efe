"""Why a turn was, or was not, recalled: how far its units came in each ranking, and what would bring it in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuemem.context import Candidate, fits, least_budget
from cuemem.knobs import knobs_of
from cuemem.methods.explanation import remedy
from cuemem.methods.qgmem.activation import Activation, Asked
from cuemem.methods.qgmem.generation import turn_candidates, unit_tokens
from cuemem.methods.qgmem.settings import NO_RERANKER, TURNS, Settings
from cuemem.methods.qgmem.trace import TITLES
from cuemem.ports import TokenCounter
from cuemem.text import counted
from cuemem.types import Change, ContextRole, Cue, CueHit, Explanation, LossStage, Step


def explain_turn(
    asked: Asked, turn: int, settings: Settings, tokens: TokenCounter, budget: int | None
) -> Explanation:
    """The explanation of one turn under these settings, by the best of the units whose evidence holds it."""
    index, activation = asked.index, asked.activate(settings)
    units = index.units_of.get(turn, ())
    place = _best(activation, units)
    chosen = place is not None and place <= settings.working_memory
    priced = _Priced(asked, turn, settings, tokens)
    needed = priced.needed(activation.working(settings)) if chosen and budget is not None else None
    inside = chosen and (budget is None or (needed is not None and needed <= budget))
    stage = _stage(units, place, chosen=chosen, inside=inside)
    hits = _hits(asked, turn, units, settings, activation)
    least = _least(asked, settings, units, lambda _working: True)
    changes = least
    if budget is not None:
        changes = _least(asked, settings, units, lambda working: priced.fits(working, budget))
        changes += () if needed is None else (Change("budget", needed),)
    steps = _steps(asked, settings, activation, units)
    turn_id = index.turns[turn].turn_id
    uncapped = () if budget is None else least
    sentence = f"{turn_id} {_reason(stage, steps, hits, settings)}{remedy(stage, changes, uncapped)}"
    role: ContextRole | None = "anchor" if chosen else None
    rank = hits[0].rank if hits else None
    return Explanation(turn_id, stage, role, (), hits, rank, changes, sentence, uncapped, steps)


def _best(activation: Activation, units: Sequence[int]) -> int | None:
    """The best place that any of these units has in the final order of the pool."""
    return min((activation.place[unit] for unit in units if unit in activation.place), default=None)


def _stage(units: Sequence[int], place: int | None, *, chosen: bool, inside: bool) -> LossStage:
    if inside:
        return "in context"
    if chosen:
        return "cut by budget"
    if not units:
        return "no unit"
    return "below n" if place is None else "below k"


class _Priced:
    """What the context costs up to and with one turn, in the form that the settings name."""

    def __init__(self, asked: Asked, turn: int, settings: Settings, tokens: TokenCounter) -> None:
        self._index, self._turn, self._settings, self._tokens = asked.index, turn, settings, tokens

    def needed(self, working: Sequence[int]) -> int | None:
        """The least budget at which the turn is in the context of this working memory; None where it is not in it."""
        if self._settings.context_form == TURNS:
            candidates, at = self._candidates(working)
            if at is None:
                return None
            return least_budget(candidates, at, self._tokens, self._settings.turn_cap)
        count = self._count(working)
        return None if count is None else unit_tokens(self._index, working[:count], self._tokens)

    def fits(self, working: Sequence[int], budget: int) -> bool:
        """Whether the turn is in the context under the budget."""
        if self._settings.context_form == TURNS:
            candidates, at = self._candidates(working)
            return at is not None and fits(candidates, at, self._tokens, budget, self._settings.turn_cap)
        needed = self.needed(working)
        return needed is not None and needed <= budget

    def _candidates(self, working: Sequence[int]) -> tuple[list[Candidate], int | None]:
        candidates = turn_candidates(self._index, working)
        return candidates, next((at for at, it in enumerate(candidates) if it.turn.index == self._turn), None)

    def _count(self, working: Sequence[int]) -> int | None:
        """How many of the best units it takes until one has the turn in its evidence."""
        return next((at for at, unit in enumerate(working, 1) if self._turn in self._index.spans[unit]), None)


def _least(
    asked: Asked, settings: Settings, units: Sequence[int], enough: Callable[[Sequence[int]], bool]
) -> tuple[Change, ...]:
    """The least k and the least n, each with all else kept, at which a unit of the turn is in the working memory.

    k has a closed form, since a larger one only adds units; every n is tried, since a longer list can push a unit
    down. ``enough`` says whether the turn is in the context of a working memory, under a budget. With a reranker
    whose scores are dear no other n is tried than the one that was recalled.
    """
    if not units:
        return ()
    declared = {knob.name: knob for knob in knobs_of(settings)}
    changes = []
    order = asked.activate(settings).ranked
    place = next((at for at, unit in enumerate(order.tolist(), 1) if unit in units), None)
    reachable = place is not None and place <= (declared["working_memory"].high or place)
    if place is not None and reachable and enough([int(unit) for unit in order[:place]]):
        changes.append(Change("working_memory", place, declared["working_memory"].symbol))
    if settings.reranker == NO_RERANKER or not asked.reranker(settings).dear:
        wanted = set(units)
        for pool, ranked in asked.orders(settings):
            working = [int(unit) for unit in ranked[: settings.working_memory]]
            if wanted.intersection(working) and enough(working):
                changes.append(Change("pool", pool, declared["pool"].symbol))
                break
    return tuple(changes)


def _hits(
    asked: Asked, turn: int, units: Sequence[int], settings: Settings, activation: Activation
) -> tuple[CueHit, ...]:
    """The units of a turn by their place in the pool; those outside come after it, by the fusion of whole lists."""
    turn_id = asked.index.turns[turn].turn_id
    beyond = {} if all(unit in activation.place for unit in units) else asked.whole_order(settings)
    hits = []
    for unit in units:
        last = len(asked.index.units)
        rank = activation.place.get(unit) or max(len(activation.ranked) + 1, beyond.get(unit, last))
        cue = Cue(unit, turn_id, asked.index.units[unit].fact_text)
        hits.append(CueHit(rank, asked.ranking.rank(unit)[1], cue))
    return tuple(sorted(hits, key=lambda hit: (hit.rank, hit.cue.index)))


def _steps(asked: Asked, settings: Settings, activation: Activation, units: Sequence[int]) -> tuple[Step, ...]:
    """The best rank of the turn's units in each channel, in the fusion, after reranking, in the working memory."""
    if not units:
        return ()
    steps = []
    for channel in asked.channels(settings):
        ranks = [rank for unit in units if (rank := asked.full_rank(unit, channel, settings)) is not None]
        steps.append(Step(channel, TITLES[channel], min(ranks, default=None), settings.pool))
    fused = min((rank for unit in units if (rank := asked.fused_rank(unit, settings))), default=None)
    steps.append(Step("fusion", "Fusion", fused, settings.pool))
    place = _best(activation, units)
    if settings.reranker != NO_RERANKER:
        steps.append(Step("rerank", "Rerank", place, None))
    steps.append(Step("working", "Working memory", place, settings.working_memory))
    return tuple(steps)


def _reason(stage: LossStage, steps: Sequence[Step], hits: Sequence[CueHit], settings: Settings) -> str:
    if stage == "no unit":
        return "was lost before retrieval: it lies in the evidence of no memory unit."
    unit = f"its best unit ({hits[0].cue.text!r})" if len(hits[0].cue.text) <= 100 else "its best unit"
    by_channel = ", ".join(
        f"{step.title.removesuffix(' channel').lower()} {step.rank or 'none'}"
        for step in steps
        if step.name not in ("fusion", "rerank", "working")
    )
    ranks = f"best ranks: {by_channel or 'no channel is on'}"
    if stage == "below n":
        fused = next(step for step in steps if step.name == "fusion")
        lists = "of any channel" if fused.rank is None else "of the fused list"
        own = counted(len(hits), "unit")
        return f"was lost at retrieval: none of its {own} is among the first {settings.pool} {lists} ({ranks})."
    if stage == "below k":
        return (
            f"was lost at activation: {unit} has place {hits[0].rank} of the pool, "
            f"below k = {settings.working_memory} ({ranks})."
        )
    how = "is in the context" if stage == "in context" else "was chosen but cut by the budget"
    return f"{how}: {unit} has place {hits[0].rank} in the working memory ({ranks})."
