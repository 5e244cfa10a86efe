"""One question as a Markdown report, for an issue or a slide. Text from data stands in code, so it stays text."""

from __future__ import annotations

import re

from cuemem.evaluation.retrieval import category_label
from cuemem.text import as_text
from cuemem.ui.trace.reading import Reading
from cuemem.viz.graph.marks import sentence_of


def report(reading: Reading) -> str:
    """The question, its settings, what was found and lost and why, the stages, and the context."""
    scene, question, recall = reading.scene, reading.question, reading.recall
    settings = ", ".join(f"{name} = {value}" for name, value in recall.settings.items())
    budget = "none" if scene.budget is None else f"{scene.budget:,} tokens"
    parts = [
        f"# Trace of question {question.index} of {code(scene.summary.title)}",
        f"Method {recall.method}; {settings}; budget: {budget}.",
        f"Category: {code(category_label(question))}.",
        "## Question",
        fenced(question.text),
        "## Gold answer",
        fenced(as_text(question.answer) or "(none)"),
        "## Result",
        sentence_of(reading.marks, recall),
        *_control(reading),
        "## Gold turns",
        "\n".join(f"- {code(row.explanation.sentence)}" for row in reading.board) or "No gold turn is known.",
        "## Stages",
        _stages(reading),
        "## Context",
        fenced(recall.context.text),
    ]
    return "\n\n".join(parts) + "\n"


def _control(reading: Reading) -> list[str]:
    control = reading.control
    if control is None:
        return []
    recall = "" if control.recall is None else f" with evidence recall {control.recall:.2f}"
    setting = f"{control.symbol} = {control.value}, {control.turns:,} turns, {control.tokens:,} tokens"
    return [f"Anchors only at the same tokens: {setting}{recall}."]


def _stages(reading: Reading) -> str:
    rows = [f"| {s.title} | {s.summary} | {1000 * s.seconds:.1f} |" for s in reading.recall.trace]
    return "\n".join(["| stage | result | ms |", "|---|---|---|", *rows])


def code(text: str) -> str:
    """A text in one line as a code span, whatever backticks it holds."""
    line = " ".join(text.split())
    ticks = "`" * (_longest_run(line) + 1)
    return f"{ticks} {line} {ticks}" if line.startswith("`") or line.endswith("`") else f"{ticks}{line}{ticks}"


def fenced(text: str) -> str:
    """A text as a code block, whatever backticks it holds."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
