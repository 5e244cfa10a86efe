"""Every setting at once against the plain loop over settings.

Takes a made-up conversation of LoCoMo's shape (about 600 turns, 1.6 cues a turn, 150 questions). The plain loop
is measured on 40 settings and scaled to all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.common import made_up, seconds, show, vectors
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.evaluation.retrieval import grid
from cuemem.evaluation.sweep import sweep
from cuemem.methods import CueMem
from cuemem.methods.cuemem.graph import CueGraph, link_cues
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import Evidence, Matrix, Question

CUES, QUESTIONS = 960, 150
METHOD = CueMem()


class Given:
    """An embedder that knows its texts already."""

    name = "given"

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    def encode(self, texts: Sequence[str]) -> Matrix:
        return self.matrix[[int(text.split()[1]) for text in texts]]


def main() -> None:
    conversation, turns, cues, cue_turn = made_up(CUES)
    matrix = vectors(CUES)
    graph = CueGraph(turns, cues, cue_turn, *link_cues(matrix, cue_turn))
    tokens = FixedTokenizer()
    memory = CueMemory(conversation, METHOD, graph, matrix, Given(vectors(QUESTIONS, seed=4)), tokens)
    generator = np.random.default_rng(2)
    gold = [turns[int(turn)].turn_id for turn in generator.integers(0, len(turns), QUESTIONS)]
    questions = [Question(i, f"q {i}", "", "", 4, evidence=(Evidence(g, g),)) for i, g in enumerate(gold)]
    swept = sweep(memory, METHOD, questions, tokens)
    assert swept is not None
    settings = int(np.prod([len(values) for values in swept.axes.values()]))
    mine = min(seconds(lambda: sweep(memory, METHOD, questions, tokens), 3))
    axes = {"window": [0, 2], "neighbours": [0, 1, 5, 10], "top_cues": [5, 10, 20, 40, 60]}
    some = int(np.prod([len(values) for values in axes.values()]))
    plain = seconds(lambda: list(grid(memory, METHOD, questions, axes)))[0] * settings / some
    show(
        "Sweep of all settings over one conversation",
        ("settings", "questions", "sweep s", "plain loop s", "ratio"),
        [(f"{settings:,}", str(QUESTIONS), f"{mine:.2f}", f"{plain:.0f}", f"{plain / mine:.0f}×")],
    )


if __name__ == "__main__":
    main()
