"""Print the tables of docs/results.md, each with the commands that made it: ``python scripts/results.py STORE``.

The store holds LoCoMo and LongMemEval instances, built as docs/results.md says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

SIX = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-44", "conv-47")
BUDGETS = (None, "500", "1000", "2000")
HEAD = ("recall", "any", "all", "tokens", "p95")


def run(store: str, *words: str) -> Any:
    """What a command gives as JSON."""
    command = [sys.executable, "-m", "cuemem", "--store", store, "--json", *words]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table in Markdown."""
    print(f"| {' | '.join(columns)} |")
    print(f"|---|{'---:|' * (len(columns) - 1)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def share(value: float | None) -> str:
    """``.850``; a dash for what is not known."""
    return "–" if value is None else f"{value:.3f}".removeprefix("0")


def whole(value: float | None) -> str:
    """``1,907``."""
    return "–" if value is None else f"{value:,.0f}"


def measures(group: dict[str, Any]) -> list[str]:
    """Recall, any, all, mean tokens, their 95th percentile."""
    return [*(share(group[name]) for name in HEAD[:3]), whole(group["tokens"]), whole(group["tokens_p95"])]


def retrieval(store: str, title: str, ways: dict[str, tuple[str, ...]], dataset: str) -> None:
    """Ways of choosing turns, at their defaults and at each budget, then by category at the defaults."""
    print(f"### {title}\n")
    rows, apart, count = [], [], 0
    for name, words in ways.items():
        for budget in BUDGETS:
            asked = ["retrieval", *words, *(["--budget", budget] if budget else [])]
            found = next(it for it in run(store, *asked)["datasets"] if it["dataset"] == dataset)
            first, *others = found["groups"]
            count = first["n"]
            rows.append([name, f"budget {int(budget):,}" if budget else "defaults", *measures(first)])
            if not budget:
                apart += [
                    [name, it["name"], str(it["n"]), *measures(it)] for it in others if "apart" not in it["name"]
                ]
    print(f"{count:,} questions.\n")
    table(("turns chosen by", "at", *HEAD), rows)
    table(("turns chosen by", "category", "n", *HEAD), apart)
    for words in ways.values():
        print(f"`python -m cuemem retrieval {' '.join(words)}` (and `--budget 500`, `1000`, `2000`)  ")
    print()


def sweeps(store: str, title: str, words: tuple[str, ...]) -> None:
    """The frontier in steps, the usual setting against anchors only, edges, halves: as the command prints them."""
    print(f"### {title}\n\n`python -m cuemem sweep {' '.join(words)}`\n\n```text")
    command = [sys.executable, "-m", "cuemem", "--store", store, "sweep", *words]
    print(
        subprocess.run(command, check=True, capture_output=True, text=True, env={**_env(), "COLUMNS": "100"}).stdout
    )
    print("```\n")


def _env() -> dict[str, str]:
    import os

    return dict(os.environ)


def main(store: str) -> None:
    """All tables, as they are measured."""
    rag = ("--method", "naive_rag")
    retrieval(
        store,
        "LoCoMo, all ten conversations",
        {"sentences": ("--cues", "sentences"), "observations": ("--cues", "observations"), "naive RAG": rag},
        "locomo",
    )
    six = {"imported triples": ("--cues", "imported"), "observations": ("--cues", "observations")}
    six |= {"sentences": ("--cues", "sentences"), "naive RAG": rag}
    retrieval(store, "LoCoMo, six conversations", {name: (*SIX, *words) for name, words in six.items()}, "locomo")
    retrieval(store, "LongMemEval", {"sentences": ("--cues", "sentences"), "naive RAG": rag}, "longmemeval")
    for cues in ("imported", "observations", "sentences"):
        sweeps(store, f"Sweep, {cues}", ("--dataset", "locomo", "--cues", cues, "--within", "2000", "--exact"))
    sweeps(store, "Sweep, LongMemEval", ("--dataset", "longmemeval", "--cues", "sentences", "--within", "8000"))


if __name__ == "__main__":
    main(sys.argv[1])
