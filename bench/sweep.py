"""Every setting at once against the plain loop over settings.

Takes made-up conversations: six with as many cues and questions as the six conversations of LoCoMo that have
published cues (855 questions), and LongMemEval instances (5,000 cues in 270 exchanges, one question each). The
plain loop is measured on 40 settings and some of the questions, and scaled. Vectors are in memory. With --store PATH
it takes the LoCoMo conversations of that store that have imported cues instead of the six. Seconds are those of the
processor, since a busy machine makes the clock run on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np

from bench.common import made_up, show, vectors
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.evaluation.retrieval import grid
from cuemem.evaluation.sweep import scorable, sweep
from cuemem.evaluation.swept import joined
from cuemem.methods import CueMem
from cuemem.methods.cuemem.graph import CueGraph, link_cues
from cuemem.methods.cuemem.method import CueMemory
from cuemem.ports import Memory
from cuemem.types import Evidence, Matrix, Question
from cuemem.workbench import Workbench

# Cues, questions, cues a turn.
LOCOMO = ((826, 150, 2.0), (651, 81, 1.8), (1006, 152, 1.5), (992, 199, 1.6), (1105, 123, 1.6), (899, 150, 1.3))
LONGMEMEVAL = ((5_000, 1, 18.5),) * 10
SAMPLED = 20  # questions of a conversation for the plain loop
AXES = {"window": [0, 2], "neighbours": [0, 1, 5, 10], "top_cues": [5, 10, 20, 40, 60]}
METHOD = CueMem()
TOKENS = FixedTokenizer()
Swept = tuple[Memory, CueMem, Sequence[Question]]


class Given:
    """An embedder that knows its texts already."""

    name = "given"

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    def encode(self, texts: Sequence[str]) -> Matrix:
        return self.matrix[[int(text.split()[1]) for text in texts]]


def invented(cue_count: int, question_count: int, cues_per_turn: float, seed: int) -> Swept:
    """A memory of random cues, and questions with a random gold turn each."""
    conversation, turns, cues, cue_turn = made_up(cue_count, cues_per_turn)
    matrix = vectors(cue_count, seed)
    graph = CueGraph(turns, cues, cue_turn, *link_cues(matrix, cue_turn))
    memory = CueMemory(conversation, METHOD, graph, matrix, Given(vectors(question_count, seed + 100)), TOKENS)
    gold = [turns[int(turn)].turn_id for turn in np.random.default_rng(2).integers(0, len(turns), question_count)]
    questions = [Question(i, f"q {i}", "", "", 4, evidence=(Evidence(g, g),)) for i, g in enumerate(gold)]
    return memory, METHOD, questions


def real(store: Path) -> list[Swept]:
    """What a store has of LoCoMo from imported cues."""
    bench = Workbench.open(store)
    found: list[Swept] = []
    for record in bench.store.memories():
        conversation = bench.store.conversation(record.conversation_id)
        if (conversation.dataset, record.cue_source) == ("locomo", "imported"):
            method = bench.pick(record.conversation_id, "cuemem", "imported", record.turn_unit)
            questions = [it for it in bench.store.questions(record.conversation_id) if scorable(it)]
            bench.embedder.hold([it.text for it in questions])
            found.append((bench.memory(record.conversation_id, method), method, questions))
    return found


def measured(name: str, parts: Sequence[Swept]) -> tuple[str, ...]:
    """A row of the table."""

    def whole() -> float:
        started = process_time()
        found = [sweep(memory, method, questions, TOKENS) for memory, method, questions in parts]
        joined([it for it in found if it is not None]).means()
        return process_time() - started

    first = sweep(*parts[0], TOKENS)
    assert first is not None
    mine = min(whole() for _ in range(5))
    some = int(np.prod([len(values) for values in AXES.values()]))
    plain = 0.0
    for memory, method, questions in parts:
        asked = questions[:SAMPLED]
        started = process_time()
        list(grid(memory, method, asked, AXES))
        plain += (process_time() - started) * len(questions) / len(asked) * first.size / some
    count = sum(len(questions) for _, _, questions in parts)
    return name, f"{first.size:,}", f"{count:,}", f"{mine:.3f}", f"{plain:,.0f}", f"{plain / mine:,.0f}×"


def main() -> None:
    parser = argparse.ArgumentParser(description="Every setting at once against the plain loop.")
    parser.add_argument("--store", type=Path)
    store = parser.parse_args().store
    locomo = real(store) if store else [invented(*size, seed) for seed, size in enumerate(LOCOMO)]
    rows = [measured(f"LoCoMo, {len(locomo)} conversations{' of the store' if store else ''}", locomo)]
    haystacks = [invented(*size, seed) for seed, size in enumerate(LONGMEMEVAL)]
    rows.append(measured(f"LongMemEval, {len(haystacks)} instances", haystacks))
    columns = ("sweep of all settings", "settings", "questions", "sweep s", "plain loop s", "ratio")
    show("The whole grid, with means and percentiles", columns, rows)


if __name__ == "__main__":
    main()
