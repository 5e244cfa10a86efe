"""Replies of a real model to questions on the bundled conversations: recorded to a file, and replayed from it.

The file comes with the app, so that answers and verdicts can be looked at before any model is set up. What is
replayed is marked as recorded, with its model and date, wherever it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuemem.errors import NotBuilt
from cuemem.evaluation.compare import Contestant, has_gold, scored
from cuemem.evaluation.judge import Judge, suited_protocol
from cuemem.methods import METHODS
from cuemem.ports import Progress, no_progress
from cuemem.prompts import Prompts
from cuemem.types import Answer, ConversationId, Question
from cuemem.workbench.answering import answerer, contestant, judge, keep, oracle
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.samples import REPLIES, load_samples
from cuemem.workbench.workbench import Workbench

# Of each category one or two, among them the paper's story, a fact that changed, and something never said; and of the
# chat with an assistant a fact from one session, a count over four, and a fact that changed.
QUESTIONS: Mapping[str, tuple[int, ...]] = {
    "lakeside": (0, 5, 14, 24, 30, 51),
    "sample_user": (0,),
    "sample_multi": (0,),
    "sample_update": (0,),
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many answers and verdicts were given, and how many of either failed."""

    answers: int
    failed: int
    verdicts: int
    unparsed: int
    file: Path


@dataclass(frozen=True, slots=True)
class _Asked:
    conversation_id: ConversationId
    question: Question
    contestant: Contestant


def record(
    workbench: Workbench,
    settings: ModelSettings,
    prompts: Prompts,
    file: Path = REPLIES,
    progress: Progress = no_progress,
) -> Recorded:
    """Ask the model and let it judge itself, then write what it replied.

    What was asked here before is not asked again; the recording that came with the conversations is not used.

    Method by method over all conversations, so that a server's prefix cache serves the questions on one history, even
    where each question has a conversation of its own; judging comes after. What came is written even when the rest is
    interrupted.
    """
    asked = list(_asked(workbench))
    names = list(dict.fromkeys(it.contestant.name for it in asked))
    asked.sort(key=lambda it: names.index(it.contestant.name))
    model = answerer(workbench.store, settings, prompts, workbench.tokens)
    workbench.store.forget_recorded(model.chat.name)
    answers: list[Answer] = []
    outcomes: list[str] = []
    try:
        for it in asked:
            progress(f"answers, {it.contestant.name}", len(answers), len(asked))
            query, context = it.question.query, it.contestant.context
            answers.append(model.answer(query, context, it.contestant.turns, it.conversation_id))
        for it, answer in zip(asked, answers, strict=True):
            progress("verdicts", len(outcomes), len(asked))
            outcomes.append(_judged(workbench, settings, prompts, it, answer))
    finally:
        _write(workbench, model.chat.name, [it.conversation_id for it in asked], file)
    failed = sum(it.failure is not None for it in answers)
    given = [outcome for outcome in outcomes if outcome != "no answer"]
    return Recorded(len(answers), failed, len(given), given.count("unparsed"), file)


def _write(workbench: Workbench, model: str, conversation_ids: list[ConversationId], file: Path) -> None:
    ids = list(dict.fromkeys(conversation_ids))
    rows = [row for row in workbench.store.export_replies(ids) if row["model"] == model]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _judged(workbench: Workbench, settings: ModelSettings, prompts: Prompts, it: _Asked, answer: Answer) -> str:
    dataset = workbench.store.conversation(it.conversation_id).dataset
    judged_by: Judge = judge(workbench.store, settings, prompts, suited_protocol(dataset))
    row = scored(it.question, it.contestant, answer, judged_by, it.conversation_id)
    keep(workbench.store, it.conversation_id, it.question, row, judged_by)
    return row.verdict.outcome if row.verdict else "no answer"


def _asked(workbench: Workbench) -> Iterator[_Asked]:
    """Each question with each context, as the app shows them at first: the first memory, suited settings."""
    plans: dict[ConversationId, dict[type[Any], Any]] = {}
    for plan in load_samples(workbench):
        workbench.build(plan.conversation_id, plan.method, plan.files)
        plans.setdefault(plan.conversation_id, {}).setdefault(type(plan.method), plan.method)
    for conversation_id, built in plans.items():
        conversation = workbench.store.conversation(conversation_id)
        known = workbench.store.questions(conversation_id)
        chosen = QUESTIONS.get(conversation.sample_id, ())
        questions = [question for question in known if question.index in chosen and has_gold(question)]
        for method in METHODS:
            suited, budget = built.get(method, method()).suited_to(conversation)
            for question in questions:
                with suppress(NotBuilt):  # of a method that nothing is planned for here
                    found = contestant(workbench, conversation_id, suited, budget, question.query)
                    yield _Asked(conversation_id, question, found)
        for question in questions:
            if question.evidence:
                yield _Asked(conversation_id, question, oracle(workbench, conversation_id, question))
