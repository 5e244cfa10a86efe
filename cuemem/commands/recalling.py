"""What commands that recall have in common: the question, the opened memory, vectors made ready beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from rich.console import Group

from cuemem.commands.desk import Desk
from cuemem.commands.display import facts, literal
from cuemem.commands.selection import Chosen
from cuemem.context import said
from cuemem.errors import UnknownName
from cuemem.evaluation.retrieval import category_label
from cuemem.ports import Memory
from cuemem.similarity import Ranking
from cuemem.text import counted
from cuemem.types import Question
from cuemem.workbench import Workbench


def question_at(workbench: Workbench, chosen: Chosen, index: int) -> Question:
    """The question of a conversation by its index. Raises UnknownName, with the range there is."""
    questions = {question.index: question for question in workbench.store.questions(chosen.id)}
    if index in questions:
        return questions[index]
    title = chosen.conversation.title
    if not questions:
        raise UnknownName(f"{title} has no questions.")
    raise UnknownName(f"{title} has no question {index}; its questions are {min(questions)} to {max(questions)}.")


def open_memory(desk: Desk, workbench: Workbench, chosen: Chosen) -> Memory:
    """The built memory; a method without cues builds its own on first use, which takes a while."""
    with desk.progress(f"Opening {chosen.conversation.title}") as progress:
        return workbench.memory(chosen.id, chosen.method, progress)


def ready(desk: Desk, workbench: Workbench, texts: Sequence[str]) -> bool:
    """Prepare for these queries; whether any of them still has to be encoded, which wakes the model.

    Many are encoded at once, in batches. A single one is left to the recall, so that the trace shows the time
    it takes; but the first call of each library, which is slow, is made here and not counted there.
    """
    unit = np.eye(2, dtype=np.float32)
    Ranking.of(unit, unit[0]).top(1)
    workbench.tokens.count("one")
    found = workbench.store.vectors(workbench.embedder.name, texts)
    missing = [text for text, present in zip(texts, found.present, strict=True) if not present]
    if missing:
        with desk.progress(f"Encoding {counted(len(missing), 'query')}", long=len(missing) > 1) as progress:
            workbench.model.encode(["one"])
            if len(texts) > 1:
                replace(workbench.embedder, progress=progress).encode(texts)
    if len(texts) > 1:
        workbench.embedder.hold(texts)
    return bool(missing)


def head(chosen: Chosen, asked: Question) -> Group:
    """The question, its gold answer, and by what it was recalled."""
    right = "it was not mentioned" if asked.unanswerable else asked.answer
    lines = {
        "question": f"{asked.index} of {chosen.conversation.title}, {category_label(asked)}",
        **({"asked on": said(asked.time)} if asked.time else {}),
        "right answer": right,
        **({"trap answer": asked.adversarial_answer} if asked.adversarial_answer is not None else {}),
        "recalled by": chosen.line,
    }
    return Group(literal(asked.text, "bold"), facts(lines))
