"""Replies of a real model to questions on the bundled conversations: recorded to a file, and replayed from it.

The file comes with the app, so that answers and verdicts can be looked at before any model is set up. What is
replayed is marked as recorded, with its model and date, wherever it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuemem.errors import BadInput, NotBuilt
from cuemem.evaluation.compare import Contestant, has_gold, scored
from cuemem.evaluation.judge import Judge, suited_protocol
from cuemem.knobs import source_of
from cuemem.methods import METHODS
from cuemem.ports import Progress, no_progress
from cuemem.prompts import Prompts
from cuemem.types import Answer, ConversationId, Question
from cuemem.units.llm import PROMPTS
from cuemem.workbench.answering import answerer, contestant, judge, keep, oracle
from cuemem.workbench.by_model import Calls, model_source
from cuemem.workbench.materials import material_of
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.samples import BY_MODEL, REPLIES, UNITS, Planned, load_samples, other_maker
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
    """How many answers and verdicts were given, and how many of either failed; units, and what failed at them."""

    units: int
    units_failed: int
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

    First it makes the memory units of the conversation that has written ones, so that its answers from either can be
    compared. What was asked here before is not asked again; the recording that came with the conversations is not
    used.

    Method by method over all conversations, so that a server's prefix cache serves the questions on one history, even
    where each question has a conversation of its own; judging comes after. The file is written at the end.
    Raises BadInput where the store holds units by another model, which would be lost.
    """
    model = answerer(workbench.store, settings, prompts, workbench.tokens)
    plans = load_samples(workbench)
    workbench.store.forget_recorded(model.chat.name, {it.conversation_id for it in plans})
    answers: list[Answer] = []
    outcomes: list[str] = []
    made = [_by_model(workbench, it, settings, prompts, progress) for it in plans if it.files == UNITS]
    asked = list(_asked(workbench, [*(it for it in plans if it.model is None), *made]))
    names = list(dict.fromkeys(it.contestant.name for it in asked))
    asked.sort(key=lambda it: names.index(it.contestant.name))
    for it in asked:
        progress(f"answers, {it.contestant.name}", len(answers), len(asked))
        query, context = it.question.query, it.contestant.context
        answers.append(model.answer(query, context, it.contestant.turns, it.conversation_id))
    for it, answer in zip(asked, answers, strict=True):
        progress("verdicts", len(outcomes), len(asked))
        outcomes.append(_judged(workbench, settings, prompts, it, answer))
    _write(workbench, model.chat.name, [it.conversation_id for it in plans], file)
    lost = [why for it in made for why in _failures(workbench, it)]
    failed = sum(it.failure is not None for it in answers)
    given = [outcome for outcome in outcomes if outcome != "no answer"]
    units = sum(workbench.memory(it.conversation_id, it.method).cue_count for it in made)
    return Recorded(units, len(lost), len(answers), failed, len(given), given.count("unparsed"), file)


def _by_model(
    workbench: Workbench, written: Planned, settings: ModelSettings, prompts: Prompts, progress: Progress
) -> Planned:
    """The memory that the model makes of the conversation that has written units.

    What was replayed before is forgotten, since it would be taken for done; replies that were had here are kept.
    """
    source = model_source(BY_MODEL, workbench.store, settings, prompts, workbench.tokens, Calls())
    if (maker := other_maker(workbench, written.conversation_id, source)) is not None:
        raise BadInput(
            f"{workbench.store.path} holds memory units of this conversation by {maker}, which a recording would "
            "replace. Record in a store of its own: --store FILE."
        )
    workbench.store.forget_units(written.conversation_id, source_of(BY_MODEL) or "")
    workbench.build(written.conversation_id, BY_MODEL, progress=progress, llm=source)
    return Planned(written.conversation_id, BY_MODEL, model=source)


def _failures(workbench: Workbench, made: Planned) -> Sequence[tuple[str, str]]:
    material = material_of(made.method)
    assert material is not None
    return material.failures(workbench.store, workbench.store.conversation(made.conversation_id), made.method)


def _write(workbench: Workbench, model: str, conversation_ids: Sequence[ConversationId], file: Path) -> None:
    """Every reply, and of the units also what the model failed at: replayed, it fails again."""
    ids = list(dict.fromkeys(conversation_ids))
    rows = [row for row in workbench.store.export_replies(ids) if row["model"] == model]
    rows += [
        {
            "request_key": it.request_key,
            "prompt": it.prompt,
            "prompt_hash": it.prompt_hash,
            "conversation_id": it.conversation_id,
            "model": it.model,
            "failure": {"kind": it.kind, "sentence": it.sentence},
            "asked_at": it.failed_at.isoformat(),
        }
        for conversation_id in ids
        for it in workbench.store.chat_failures(conversation_id)
        if it.model == model and it.prompt in PROMPTS
    ]
    whole = file.with_name(f"{file.name}.part")
    whole.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    whole.replace(file)


def _judged(workbench: Workbench, settings: ModelSettings, prompts: Prompts, it: _Asked, answer: Answer) -> str:
    dataset = workbench.store.conversation(it.conversation_id).dataset
    judged_by: Judge = judge(workbench.store, settings, prompts, suited_protocol(dataset))
    row = scored(it.question, it.contestant, answer, judged_by, it.conversation_id)
    keep(workbench.store, it.conversation_id, it.question, row, judged_by)
    return row.verdict.outcome if row.verdict else "no answer"


def _asked(workbench: Workbench, plans: Sequence[Planned]) -> Iterator[_Asked]:
    """Each question with each context, as the app shows them at first: the first memory, suited settings.

    And with that of the memory that a model made.
    """
    built: dict[ConversationId, list[Any]] = {}
    for plan in plans:
        if plan.model is None:
            workbench.build(plan.conversation_id, plan.method, plan.files)
        methods = built.setdefault(plan.conversation_id, [])
        if plan.model is not None or not any(isinstance(it, type(plan.method)) for it in methods):
            methods.append(plan.method)
    for conversation_id, planned in built.items():
        conversation = workbench.store.conversation(conversation_id)
        known = workbench.store.questions(conversation_id)
        chosen = QUESTIONS.get(conversation.sample_id, ())
        questions = [question for question in known if question.index in chosen and has_gold(question)]
        others = [it() for it in METHODS if not any(isinstance(held, it) for held in planned)]
        for method in (*planned, *others):
            suited, budget = method.suited_to(conversation)
            for question in questions:
                with suppress(NotBuilt):  # of a method that nothing is planned for here
                    found = contestant(workbench, conversation_id, suited, budget, question.query)
                    yield _Asked(conversation_id, question, found)
        for question in questions:
            if question.evidence:
                yield _Asked(conversation_id, question, oracle(workbench, conversation_id, question))
