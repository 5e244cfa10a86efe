"""Query-time reconstruction without the encoder: top-m, anchors, expansion, explanation of two gold turns.

Targets on one core: 1 ms, 3 ms and 15 ms at 3,000, 20,000 and 100,000 cues. The reference does the same by
sorting every cosine and looping over the neighbour lists.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from bench.common import SIZES, made_up, percentiles, seconds, show, vectors
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.methods import CueMem
from cuemem.methods.cuemem.explain import explain_turn
from cuemem.methods.cuemem.graph import CueGraph, link_cues
from cuemem.methods.cuemem.reconstruction import name_anchors, retrieve
from cuemem.similarity import Nearest
from cuemem.types import Matrix

TARGETS = {3_000: 1.0, 20_000: 3.0, 100_000: 15.0}
QUERIES = 200
METHOD = CueMem()
TOKENS = FixedTokenizer()


def random_links(count: int) -> Nearest:
    """Neighbour lists without computing them: recall only reads them."""
    generator = np.random.default_rng(3)
    return Nearest(generator.integers(0, count, (count, 10)), generator.random((count, 10)))


def ours(graph: CueGraph, matrix: Matrix, query: Matrix, gold: tuple[int, int]) -> None:
    retrieval = retrieve(graph, matrix, query)
    name_anchors(retrieval, METHOD)
    retrieval.expansion(METHOD)
    for turn in gold:
        explain_turn(retrieval, turn, METHOD, TOKENS, None)


def reference(graph: CueGraph, matrix: Matrix, query: Matrix, gold: tuple[int, int]) -> None:
    """The same result read off the definitions: a full stable sort, sets, and a loop over settings."""
    order = np.lexsort((np.arange(len(matrix)), -np.round(matrix.astype(np.float64) @ query, 6)))

    def context(window: int, neighbours: int, top: int) -> set[int]:
        anchors = {int(graph.cue_turn[cue]) for cue in order[:top]}
        reached = set(anchors)
        for anchor in anchors:
            reached |= set(range(max(0, anchor - window), min(len(graph.turns), anchor + window + 1)))
            for cue in graph.cues_of(anchor):
                reached |= {int(graph.cue_turn[other]) for other in graph.anywhere.rows[cue, :neighbours]}
        return reached

    context(2, 1, 10)
    for turn in gold:
        _ = [int(np.flatnonzero(order == cue)[0]) + 1 for cue in graph.cues_of(turn)]
        _ = next((w for w in range(7) if turn in context(w, 1, 10)), None)
        _ = next((k for k in range(11) if turn in context(2, k, 10)), None)
        _ = next((m for m in range(1, 61) if turn in context(2, 1, m)), None)


def measure(size: int) -> tuple[str, ...]:
    """One row of the table."""
    _, turns, cues, cue_turn = made_up(size)
    matrix = vectors(size)
    links = link_cues(matrix, cue_turn)[0] if size == SIZES[0] else random_links(size)
    graph = CueGraph(turns, cues, cue_turn, links, links)
    noise = vectors(QUERIES, seed=9)
    asked = [matrix[place * 13] + 0.7 * noise[place] for place in range(QUERIES)]
    asked = [query / np.linalg.norm(query) for query in asked]
    gold = [(int(cue_turn[at * 13]), int(cue_turn[(at * 29 + 5) % size])) for at in range(QUERIES)]
    with threadpool_limits(1):
        ours(graph, matrix, asked[0], gold[0])  # the first call fills what later calls share
        mine = [seconds(partial(ours, graph, matrix, asked[at], gold[at]))[0] for at in range(QUERIES)]
        plain = [seconds(partial(reference, graph, matrix, asked[at], gold[at]))[0] for at in range(5)]
    (p50, p95), (slow, _) = percentiles(mine), percentiles(plain)
    times = (f"{p50 * 1e3:.2f}", f"{p95 * 1e3:.2f}", f"{TARGETS[size]:.0f}", f"{slow * 1e3:.0f}")
    return (f"{size:,}", *times, f"{slow / p50:.0f}×")


def main() -> None:
    show(
        "Recall and explanation without the encoder (one core)",
        ("cues", "p50 ms", "p95 ms", "target ms", "plain loop ms", "ratio"),
        [measure(size) for size in SIZES],
    )


if __name__ == "__main__":
    main()
