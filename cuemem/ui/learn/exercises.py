"""The small exercises, one a step: a task to try with the control of the step, and the answer to compare with.

Pure: numbers in, sentences out. Turn ids in them are data, so they are shown as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuemem.evaluation.ladder import Least, Outcome, Rung
from cuemem.text import counted
from cuemem.types import Explanation, TurnId
from cuemem.ui.learn.words import listed, setting, share, short


@dataclass(frozen=True, slots=True)
class Exercise:
    """A task and its answer."""

    task: str
    answer: str


def whole_history(turns: int, history: int, here: Outcome) -> Exercise:
    """Step 1: what it would cost to leave nothing out."""
    return Exercise(
        "Guess: how many tokens does the whole history cost, if it is sent along with every question? "
        "(A token is a piece of a word; 100 tokens are about 75 English words.)",
        f"{counted(turns, 'turn')} are {history:,} tokens, with every question anew. The context that step 7 arrives "
        f"at has {counted(here.turns, 'turn')} and {here.tokens:,} tokens: {share(here.tokens, history)} of that.",
    )


def without_cue(turns: int, with_cue: int, gold: Sequence[TurnId]) -> Exercise:
    """Step 2: what extraction loses."""
    lost = (
        f"Among them {'is' if len(gold) == 1 else 'are'} {counted(len(gold), 'gold turn')} of this conversation's "
        f"questions: {listed(gold)}. No question can find such a turn directly, only by an edge from another."
        if gold
        else "None of them is a gold turn of any question here, so nothing that is asked for was lost."
    )
    return Exercise(
        "Look through some turns. How many of them have no cue at all, would you say, and does it matter?",
        f"{turns - with_cue:,} of {counted(turns, 'turn')} have none. {lost}",
    )


def target_of(least: Sequence[Least], low: int) -> Least | None:
    """The gold turn to ask for: of those that need more than the knob's lowest value, the one that needs most."""
    needing = [it for it in least if it.value is not None and it.value > low]
    return max(needing, key=lambda it: it.value or 0, default=None)


def least_value(
    symbol: str, least: Sequence[Least], rungs: Sequence[Rung], explanation: Explanation | None = None
) -> Exercise:
    """Steps 3 to 5: the least value of the knob that brings a gold turn in, and how it comes in at that value."""
    low, high = rungs[0], rungs[-1]
    if not least:
        return Exercise(
            f"This question has no gold turn. Move {symbol} from one end to the other: how much longer does the "
            "context get?",
            f"From {low.outcome.tokens:,} tokens at {setting(symbol, low.value)} to {high.outcome.tokens:,} at "
            f"{setting(symbol, high.value)}. Whatever comes in, it is not needed for the answer.",
        )
    target = target_of(least, low.value or 0)
    if target is not None:
        return Exercise(
            f"Find the least {symbol} that brings in {target.turn_id}, the other settings as they are.",
            f"{symbol} = {target.value}. {_reason(explanation)}".strip(),
        )
    free = [it.turn_id for it in least if it.value is not None]
    beyond = [it.turn_id for it in least if it.value is None]
    if not free:
        return Exercise(
            f"Can {symbol} alone bring in {listed(beyond)}? Try its whole range.",
            f"No. No {symbol} from {low.value} to {high.value} does, the other settings as they are.",
        )
    out_of_reach = (
        f" {listed(beyond)} {'is' if len(beyond) == 1 else 'are'} out of reach of {symbol} alone." if beyond else ""
    )
    return Exercise(
        f"Set {symbol} to {low.value}. Which gold turns are lost?",
        f"Not {listed(free)}: for that {symbol} is not needed.{out_of_reach}",
    )


def _reason(explanation: Explanation | None) -> str:
    """How a turn is in the context, and where it stands by its own cues."""
    if explanation is None:
        return ""
    own = f" By its own cues it would have to wait for rank {explanation.rank:,}." if explanation.via else ""
    return explanation.sentence + (own if explanation.rank is not None else "")


def ways_in(explanations: Sequence[Explanation], cue_text: Sequence[str]) -> Exercise:
    """Step 6: how each gold turn came in. ``cue_text`` holds the cues by index."""
    if not explanations:
        return Exercise(
            "This question has no gold turn. Which of the anchors would mislead a reader most?",
            "There is no one answer: the cue with the highest cosine is the most tempting.",
        )
    return Exercise(
        "How did each gold turn come in: as an anchor, by a temporal or by a semantic edge?",
        " ".join(_way(it, cue_text) for it in explanations),
    )


def _way(explanation: Explanation, cue_text: Sequence[str]) -> str:
    sentence = explanation.sentence
    edge = explanation.via[0] if explanation.via else None
    if explanation.stage == "in context" and edge and edge.source_cue is not None and edge.target_cue is not None:
        pair = f"“{short(cue_text[edge.source_cue])}” and “{short(cue_text[edge.target_cue])}”"
        sentence += f" The two cues are {pair}."
        if explanation.rank is not None:
            sentence += f" By itself its best cue has rank {explanation.rank:,}."
    return sentence


def least_budget(least: Sequence[Least], here: Outcome) -> Exercise:
    """Step 7: how few tokens would do."""
    reached = [it for it in least if it.value is not None]
    if not reached:
        return Exercise(
            "How small may the budget be before a gold turn is cut?",
            "No budget keeps one: at these settings no gold turn is reached at all."
            if least
            else "There is no gold turn to keep: whatever the budget, nothing in the context answers the question.",
        )
    most = max(reached, key=lambda it: it.value or 0)
    return Exercise(
        "How small may the budget be before a gold turn is cut? Anchors enter first, then temporal, then semantic "
        "neighbours.",
        f"{most.value:,} tokens. Below that {most.turn_id} is cut; without a budget the context has "
        f"{here.tokens:,} tokens."
        if here.tokens >= (most.value or 0)
        else f"{most.value:,} tokens. Below that {most.turn_id} is cut.",
    )
