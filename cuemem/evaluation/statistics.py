"""Uncertainty of what is measured: intervals, paired tests, agreement. Computed by scipy and scikit-learn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval around an estimate."""

    estimate: float
    low: float
    high: float


def wilson(right: int, n: int) -> Interval | None:
    """The share ``right`` / ``n`` with its Wilson score interval (no continuity correction); None for n = 0."""
    if n == 0:
        return None
    from scipy.stats import binomtest

    found = binomtest(right, n).proportion_ci(0.95, method="wilson")
    return Interval(right / n, float(found.low), float(found.high))


@dataclass(frozen=True, slots=True)
class Flips:
    """Two runs on the same questions: how often both were right, B fixed or broke what A gave, both were wrong."""

    both_right: int
    fixed: int
    broken: int
    both_wrong: int

    @property
    def p(self) -> float:
        """McNemar's exact p, two-sided: the chance of so uneven a split of the flips if neither run is better."""
        if self.fixed + self.broken == 0:
            return 1.0
        from scipy.stats import binomtest

        return float(binomtest(self.fixed, self.fixed + self.broken, 0.5).pvalue)


def flips(before: Sequence[bool], after: Sequence[bool]) -> Flips:
    """Compare two runs question by question. Raises ValueError where they differ in length."""
    pairs = list(zip(before, after, strict=True))
    return Flips(*(pairs.count(kind) for kind in ((True, True), (False, True), (True, False), (False, False))))


def kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two raters; None without items or where both give one label only, when it is undefined."""
    if len(one) != len(other):
        raise ValueError(f"Two raters of {len(one)} and {len(other)} items cannot be compared.")
    if not one or len({*one, *other}) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(list(one), list(other)))


def bootstrap_difference(
    groups: Sequence[tuple[Sequence[float], Sequence[float]]], *, seed: int, resamples: int = 2000
) -> Interval | None:
    """The mean paired difference B − A with a percentile interval, resampling whole conversations.

    Each group is one conversation: the values of A and of B on its questions, in the same order. Questions of
    one conversation hang together, so the conversation is the unit drawn. None without values.
    """
    sums = np.array([np.subtract(after, before).sum() for before, after in groups], float)
    sizes = np.array([len(before) for before, _ in groups], float)
    if not sizes.sum():
        return None
    drawn = np.random.default_rng(seed).integers(0, len(groups), (resamples, len(groups)))
    totals = sizes[drawn].sum(axis=1)
    means = sums[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(sums.sum() / sizes.sum()), float(low), float(high))


def bootstrap_mean(groups: Sequence[Sequence[float]], *, seed: int, resamples: int = 2000) -> Interval | None:
    """The mean with a percentile interval, resampling whole conversations as :func:`bootstrap_difference` does."""
    return bootstrap_difference([([0.0] * len(group), group) for group in groups], seed=seed, resamples=resamples)
