"""What models answered and judged before, read from the store: nobody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cuemem.adapters.local import EngineSettings, local_model
from cuemem.adapters.store import KeptReplies, Store, VerdictRecord
from cuemem.adapters.store.verdicts import HUMAN, answer_key
from cuemem.errors import UnknownName
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.compare import Contestant
from cuemem.evaluation.judge import Judge
from cuemem.types import Answer, ConversationId, Query, Question, Verdict


@dataclass(frozen=True, slots=True)
class Replier:
    """A model by the name and the window with which it was, or would be, asked."""

    name: str
    window: int | None = None

    @classmethod
    def known(cls, name: str) -> Replier:
        """A model that replied once, with the window it has unless told otherwise."""
        try:
            local = local_model(name)
        except UnknownName:
            local = None
        return cls(name, EngineSettings().context if local else None)


def kept_answer(
    store: Store, replier: Replier, answerer: Answerer, query: Query, contestant: Contestant
) -> Answer | None:
    """What this model answered from this context, or failed at; None where it was not asked.

    Of the ``answerer`` only prompts, style and toggle count.
    """
    silent = replace(answerer, chat=KeptReplies(store, replier.name, replier.window))
    answer = silent.answer(query, contestant.context, contestant.turns)
    unasked = answer.failure is not None and answer.failure.kind == "no model"
    return None if unasked else answer


def kept_verdict(
    store: Store, model: str, judge: Judge, conversation_id: ConversationId, question: Question, answer: Answer
) -> Verdict | None:
    """What this model said of the answer by the judge's protocol; None where it was not asked.

    An answer that failed or is empty has its verdict, ``no answer``, without anybody being asked.
    """
    silent = replace(judge, chat=KeptReplies(store, model))
    verdict = silent.judge(question, answer)
    if verdict.usage is not None or verdict.outcome == "no answer":
        return verdict
    # What the judge said in the wrong form is read when it comes and not kept: its verdict is.
    hash_ = verdict.prompt.hash if verdict.prompt else ""
    for record in verdicts_of(store, conversation_id, question, answer):
        if (record.judge, record.protocol, record.prompt_hash) == (model, judge.protocol, hash_):
            return replace(verdict, outcome=record.outcome, reason=record.reason, model=model)
    return None


def human_verdict(
    store: Store, conversation_id: ConversationId, question: Question, answer: Answer
) -> VerdictRecord | None:
    """What a person said of the answer."""
    said = verdicts_of(store, conversation_id, question, answer)
    return next((record for record in said if record.judge == HUMAN), None)


def verdicts_of(
    store: Store, conversation_id: ConversationId, question: Question, answer: Answer
) -> Sequence[VerdictRecord]:
    """All that was said of the answer, by people and by models."""
    key = answer_key(answer.text)
    return [it for it in store.verdicts(conversation_id, question.index) if it.answer_key == key]
