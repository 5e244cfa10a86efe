"""Answers put together: contexts by any method and by the oracle, one answerer, one judge, and what is kept of it."""

from __future__ import annotations

from typing import Any

from cuemem.adapters.store import Store
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.compare import Contestant, Row
from cuemem.evaluation.judge import Judge
from cuemem.evaluation.oracle import oracle_context
from cuemem.ports import Progress, TokenCounter, no_progress
from cuemem.prompts import Prompts
from cuemem.turns import cut_turns
from cuemem.types import AnswerStyle, ConversationId, JudgeProtocol, Query, Question, TurnUnitChoice
from cuemem.workbench.extracting import keep_prompt
from cuemem.workbench.models import ModelSettings, open_chat
from cuemem.workbench.workbench import Workbench

ORACLE = "Oracle evidence"


def answerer(
    store: Store,
    settings: ModelSettings | None,
    prompts: Prompts,
    tokens: TokenCounter,
    style: AnswerStyle = "short",
    priority: bool = True,
) -> Answerer:
    """The model that answers, over the store."""
    made = Answerer(open_chat(store, settings), prompts, tokens, style, priority)
    prompt = prompts[f"answer_{style}"]
    added = prompts["priority"]
    whole = prompt.text.replace("{priority}", added.fill()[0].text if priority else "")
    store.save_prompt(made.prompt, prompt.about, whole)
    return made


def judge(store: Store, settings: ModelSettings | None, prompts: Prompts, protocol: JudgeProtocol) -> Judge:
    """The model that judges, over the store."""
    return Judge(open_chat(store, settings), prompts, protocol)


def contestant(
    workbench: Workbench,
    conversation_id: ConversationId,
    method: Any,
    budget: int | None,
    query: Query,
    progress: Progress = no_progress,
) -> Contestant:
    """What a method recalls for the query. Raises NotBuilt where its memory has not been built."""
    memory = workbench.memory(conversation_id, method, progress)
    recall = memory.recall(query, method, budget)
    return Contestant(method.title, recall.context, memory.turns, recall)


def oracle(
    workbench: Workbench, conversation_id: ConversationId, question: Question, unit: TurnUnitChoice = "auto"
) -> Contestant:
    """The gold turns of a question: what an ideal retrieval would give."""
    turns = cut_turns(workbench.store.conversation(conversation_id), unit)
    return Contestant(ORACLE, oracle_context(question, turns, workbench.tokens), turns)


def keep(store: Store, conversation_id: ConversationId, question: Question, row: Row, judged_by: Judge) -> None:
    """Keep a row's verdict, beside what a person may have said of the same answer."""
    if row.verdict and row.verdict.outcome != "no answer":
        keep_prompt(store, judged_by.prompts, judged_by.template(question))
        store.save_verdict(conversation_id, question.index, row.answer.text, row.verdict)
