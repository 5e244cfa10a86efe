"""QGMem's channels beside CueMem and naive RAG, on given units, cues and parsed questions (docs/results.md).

    python -m bench.qgmem_channels ../shared/data/locomo

The folder holds locomo10.json, cues/ and qgmem/. Two counters: the plain one of published comparisons, and contexts
as they are rendered and counted here. Vectors are kept in a store beside the system's temporary files.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.common import show
from cuemem.evaluation.metrics import gold_of, ndcg_at, recall_at, score, scored_apart
from cuemem.evaluation.plain_budget import plain_cost, recall_within
from cuemem.knobs import with_settings
from cuemem.methods import CueMem, NaiveRag, QGMem
from cuemem.methods.cuemem.inspect import ranked
from cuemem.ports import Memory
from cuemem.types import Question, TurnId
from cuemem.workbench import Workbench, load_file

CONVERSATIONS = ("conv-26", "conv-30", "conv-42")
BUDGETS = (500, 1000, 2000)
CHANNELS = {
    "BM25 alone": ("lexical",),
    "dense alone": ("dense",),
    "attributes alone": ("attributes",),
    "RRF of BM25 and dense": ("lexical", "dense"),
    "RRF of all three": ("lexical", "dense", "attributes"),
}
Row = dict[str, list[float]]
Ranked = Callable[[Question], Sequence[TurnId]]


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/locomo")
    if not (folder / "qgmem").is_dir():
        print(f"{folder} has no units; name a folder with locomo10.json, cues/ and qgmem/.")
        return
    bench = Workbench.open(Path(tempfile.gettempdir()) / "cuemem-qgmem-channels.duckdb")
    with bench.store:
        memories = dict(built(bench, folder))
        rows = [(name, measured(bench, memories, *what)) for name, what in contenders().items()]
    head = ["recall at", *[f"{budget:,}" for budget in BUDGETS], "R@10 units", "R@10 turns", "nDCG@10"]
    show("Plain counter, turns in rank order", head, [line(name, row, "plain") for name, row in rows])
    columns = ["rendered context", *[f"{budget:,}" for budget in BUDGETS], "questions"]
    full = [(name, row) for name, row in rows if row["rendered"][0]]
    show("Contexts as rendered here", columns, [line(name, row, "rendered") for name, row in full])


def built(bench: Any, folder: Path) -> Iterator[tuple[str, dict[str, Memory]]]:
    """The memories of each conversation by method."""
    load_file(bench.store, folder / "locomo10.json")
    for sample in CONVERSATIONS:
        key = bench.store.resolve(sample)
        given = ((QGMem(), folder / "qgmem"), (CueMem(cue_source="imported"), folder / "cues"))
        for method, files in given:
            if (files / f"{sample}{'.units' if method.name == QGMem.name else ''}.jsonl").is_file():
                bench.build(key, method, files)
        methods = {"units": QGMem(), "cues": CueMem(cue_source="imported"), "turns": NaiveRag()}
        yield key, {name: bench.memory(key, method) for name, method in methods.items()}


def contenders() -> dict[str, tuple[str, Any, Any]]:
    """What is compared: the memory, the method at a depth of 100 units, and the same at k = 10."""
    found: dict[str, tuple[str, Any, Any]] = {}
    for stems in (False, True):
        for name, channels in CHANNELS.items():
            on = {channel: channel in channels for channel in ("lexical", "dense", "attributes")}
            deep = with_settings(QGMem(context_form="turns", working_memory=100, stems=stems), on)
            ten = with_settings(deep, {"working_memory": 10})
            if not stems or "lexical" in channels:
                found[f"{name}{', stems' if stems else ''}"] = ("units", deep, ten)
    cues = CueMem(cue_source="imported", window=0, neighbours=0, top_cues=60)
    found["CueMem cues, best-cue order"] = ("cues", cues, None)
    found["CueMem w=2 k=1 m=10"] = ("cues", CueMem(cue_source="imported"), None)
    found["naive RAG over turns"] = ("turns", NaiveRag(), None)
    return found


def measured(bench: Any, memories: dict[str, dict[str, Memory]], kind: str, deep: Any, ten: Any) -> Row:
    """Sums of every measure over the answerable questions with gold."""
    row: Row = {"plain": [0.0] * 6, "rendered": [0.0] * 3, "count": [0]}
    for key, by_kind in memories.items():
        memory = by_kind[kind]
        costs = {turn.turn_id: plain_cost(turn) for turn in memory.turns}
        for question in bench.store.questions(key):
            gold = gold_of(question, memory.turns).turns
            if not gold or scored_apart(question):
                continue
            order = ranking(memory, deep, question)
            units = memory.recall(question.query, ten).context.turn_ids if ten is not None else ()
            values = recall_within(order, gold, costs, BUDGETS)
            values += [
                score(gold, units).recall or 0.0,
                recall_at(order, gold, 10) or 0,
                ndcg_at(order, gold, 10) or 0,
            ]
            row["plain"] = [held + value for held, value in zip(row["plain"], values, strict=True)]
            if kind == "units" and not (deep.lexical and deep.dense and deep.attributes):
                row["count"][0] += 1
                continue
            rendered = [memory.recall(question.query, deep, budget).context.turn_ids for budget in BUDGETS]
            row["rendered"] = [
                held + (score(gold, ids).recall or 0.0) for held, ids in zip(row["rendered"], rendered, strict=True)
            ]
            row["count"][0] += 1
    return row


def ranking(memory: Any, method: Any, question: Question) -> Sequence[TurnId]:
    """Turns best first: by all cues where the memory is made of cues, else as the recall ranks them."""
    if isinstance(method, CueMem) and not method.window:
        return tuple(dict.fromkeys(hit.cue.turn_id for hit in ranked(memory, question.query)))
    found: tuple[TurnId, ...] = memory.recall(question.query, method).ranking
    return found


def line(name: str, row: Row, counter: str) -> Sequence[str]:
    """Means, as they stand in the table."""
    count = row["count"][0]
    values = [f"{value / count:.3f}".removeprefix("0") for value in row[counter]]
    if counter == "rendered":
        return [name, *values, f"{count:.0f}"]
    return [name, *values[:3], values[3] if row["plain"][3] else "–", *values[4:]]


if __name__ == "__main__":
    main()
