"""Can the judge be trusted: agreement of a person and a machine, of two protocols, of a judge with itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from cuemem.evaluation.statistics import Interval, kappa, wilson
from cuemem.types import VerdictOutcome

OUTCOMES: tuple[VerdictOutcome, ...] = ("correct", "incorrect", "unparsed", "failed", "no answer")
Item = TypeVar("Item")


def sample(items: Sequence[Item], size: int, seed: int) -> tuple[Item, ...]:
    """``size`` of the items in a random order that the seed decides.

    A larger sample of the same seed begins with the smaller one, so that growing it loses no label.
    """
    shuffled = list(items)
    random.Random(seed).shuffle(shuffled)
    return tuple(shuffled[:size])


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges of the same answers.

    They agree where both count the answer as right, or neither does: what cannot be read or failed counts as not
    right, as in the accuracy. ``table`` counts by the outcomes of the one and of the other; ``apart`` are the places
    of the answers that they disagree on. ``kappa`` is Cohen's, None where it is undefined because both give one label
    only.
    """

    n: int
    agreed: Interval | None
    kappa: float | None
    table: Mapping[tuple[VerdictOutcome, VerdictOutcome], int]
    apart: tuple[int, ...]

    @property
    def accuracies(self) -> tuple[float, float] | None:
        """The share that the one and the other count as right; None without answers."""
        if not self.n:
            return None
        one = sum(count for (said, _), count in self.table.items() if said == "correct")
        other = sum(count for (_, said), count in self.table.items() if said == "correct")
        return one / self.n, other / self.n


def agreement(one: Sequence[VerdictOutcome], other: Sequence[VerdictOutcome]) -> Agreement:
    """What two judges have in common. Raises ValueError where they judged differently many."""
    right, also = [it == "correct" for it in one], [it == "correct" for it in other]
    apart = tuple(place for place, (a, b) in enumerate(zip(right, also, strict=True)) if a != b)
    table = Counter(zip(one, other, strict=True))
    return Agreement(len(one), wilson(len(one) - len(apart), len(one)), kappa(right, also), table, apart)


@dataclass(frozen=True, slots=True)
class Stability:
    """The same judge on the same answers, several times.

    ``unchanged`` is the share of answers that every verdict says the same of; ``pairwise`` the share of pairs of
    verdicts on one answer that agree, averaged over the answers: the chance that judging once more would say the
    same. ``accuracies`` are the least and the greatest share of right answers that any one round gave, over the
    answers that every round judged. ``unsteady`` are the places of the answers whose verdicts differ.
    """

    answers: int
    rounds: int
    unchanged: Interval | None
    pairwise: float | None
    accuracies: tuple[float, float] | None
    unsteady: tuple[int, ...]


def stability(verdicts: Sequence[Sequence[VerdictOutcome]]) -> Stability:
    """How steady a judge is; each answer with its verdicts in the order of judging.

    Answers judged fewer than two times are left out of the shares. Verdicts are the same where both count the answer
    as right, or neither does.
    """
    places = [place for place, said in enumerate(verdicts) if len(said) > 1]
    right = {place: [it == "correct" for it in verdicts[place]] for place in places}
    unsteady = tuple(place for place in places if len(set(right[place])) > 1)
    shares = [_alike(said) for said in right.values()]
    rounds = max((len(said) for said in right.values()), default=0)
    whole = [said for said in right.values() if len(said) == rounds]
    by_round = [sum(said[number] for said in whole) / len(whole) for number in range(rounds)]
    return Stability(
        answers=len(places),
        rounds=rounds,
        unchanged=wilson(len(places) - len(unsteady), len(places)),
        pairwise=sum(shares) / len(shares) if shares else None,
        accuracies=(min(by_round), max(by_round)) if by_round else None,
        unsteady=unsteady,
    )


def _alike(said: Sequence[bool]) -> float:
    pairs = list(combinations(said, 2))
    return sum(a == b for a, b in pairs) / len(pairs)
