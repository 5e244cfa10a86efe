"""Settings chosen on one half of the conversations and reported on the other (``evaluation.md``: tuned, held out)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cuemem.evaluation.frontier import Places, best_within
from cuemem.evaluation.swept import Means, Measure, Swept
from cuemem.types import ConversationId


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting chosen on some conversations and what it gives on some, perhaps the same: then it is tuned."""

    chosen_on: str
    reported_on: str
    setting: dict[str, int]
    questions: int
    recall: float
    any: float
    all: float
    tokens: float

    @property
    def tuned(self) -> bool:
        """Whether the setting was chosen on the very questions that it is reported on."""
        return self.chosen_on == self.reported_on


def halves(conversations: Sequence[ConversationId]) -> tuple[tuple[ConversationId, ...], tuple[ConversationId, ...]]:
    """The first, third, fifth … conversation, and the others."""
    return tuple(conversations[::2]), tuple(conversations[1::2])


def halved(swept: Swept) -> dict[str, Means]:
    """The means over each half of the conversations that have scorable questions, and over all of them.

    Empty where there are fewer than two.
    """
    first, second = halves(list(dict.fromkeys(it.conversation_id for it in swept.asked)))
    if not second:
        return {}
    return {"half 1": swept.of(first).means(), "half 2": swept.of(second).means(), "all": swept.means()}


def trials(
    parts: Mapping[str, Means],
    measure: Measure,
    tokens: float,
    allowed: Callable[[Means], Places | None] = lambda _means: None,
) -> tuple[Trial, ...]:
    """The best setting within the tokens, chosen on each half and on all, each reported on both halves and on all.

    ``parts`` come from :func:`halved`; ``allowed`` gives the places to choose from.
    """
    sides = [name for name in parts if name != "all"]
    pairs = [(chosen_on, reported_on) for chosen_on in sides for reported_on in sides]
    rows = []
    for chosen_on, reported_on in [*pairs, *((name, name) for name in parts if name == "all")]:
        place = best_within(parts[chosen_on], measure, tokens, allowed(parts[chosen_on]))
        if place is not None:
            rows.append(_trial(chosen_on, reported_on, place, parts[reported_on]))
    return tuple(rows)


def _trial(chosen_on: str, reported_on: str, place: int, means: Means) -> Trial:
    values = (float(grid[place]) for grid in (means.recall, means.any, means.all, means.tokens))
    return Trial(chosen_on, reported_on, means.setting(place), means.questions, *values)
