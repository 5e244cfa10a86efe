"""A sample of questions that stands for all of them: spread over categories and conversations, drawn by a seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import sha256
from math import inf, sqrt

from cuemem.evaluation.retrieval import category_label
from cuemem.types import ConversationId, Question

SEED = 1  # unless another one is asked for
Asked = tuple[ConversationId, Question]


def spread(asked: Sequence[Asked], limit: int, seed: int) -> list[Asked]:
    """At most ``limit`` of the questions, in their order.

    Each category has its share by its size, and at least one while there are as many as categories (Huntington and
    Hill's method); each question is drawn from the conversation that has given the fewest. A larger sample holds the
    smaller one of the same seed, whichever the order of the conversations.
    """
    left: dict[str, dict[ConversationId, list[Asked]]] = defaultdict(lambda: defaultdict(list))
    for it in sorted(asked, key=lambda it: _chance(seed, it), reverse=True):
        left[category_label(it[1])][it[0]].append(it)
    sizes = {name: sum(map(len, groups.values())) for name, groups in left.items()}
    taken: Counter[str] = Counter()
    given: Counter[ConversationId] = Counter()
    drawn: set[tuple[ConversationId, int]] = set()
    for _ in range(min(limit, len(asked))):
        name = min(
            (name for name in sizes if taken[name] < sizes[name]),
            key=lambda name: (-_priority(sizes[name], taken[name]), -sizes[name], name),
        )
        groups = left[name]
        key = min(groups, key=lambda key: (given[key], _chance(seed, groups[key][-1])))
        conversation, question = groups[key].pop()
        if not groups[key]:
            del groups[key]
        taken[name] += 1
        given[conversation] += 1
        drawn.add((conversation, question.index))
    return [it for it in asked if (it[0], it[1].index) in drawn]


def _priority(size: int, taken: int) -> float:
    return inf if not taken else size / sqrt(taken * (taken + 1))


def _chance(seed: int, asked: Asked) -> str:
    """A number that the seed draws for a question, the same on every machine."""
    return sha256(f"{seed} {asked[0]} {asked[1].index}".encode()).hexdigest()
