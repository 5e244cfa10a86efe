"""From a run's card back to the contexts that it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from cuemem.adapters.store import Store
from cuemem.context import without_oldest
from cuemem.errors import BadInput, ChatFailure, CueMemError
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.compare import Contestant
from cuemem.evaluation.control import at_equal_tokens
from cuemem.evaluation.metrics import Gold, Retrieval, gold_of, measure, measure_context
from cuemem.evaluation.oracle import oracle_context
from cuemem.evaluation.retrieval import category_label
from cuemem.evaluation.run import ORACLE, CueOrigin, ResultRow, RunCard, RunConversation
from cuemem.knobs import fingerprint, with_settings
from cuemem.methods import method_named
from cuemem.ports import Memory, TokenCounter
from cuemem.turns import cut_turns
from cuemem.types import (
    Conversation,
    ConversationId,
    EvidenceContext,
    Flag,
    LossStage,
    Question,
    Recall,
    Turn,
    TurnId,
)
from cuemem.unit_ports import Reranker
from cuemem.workbench.materials import material_of
from cuemem.workbench.runs.sampling import Asked, spread
from cuemem.workbench.workbench import Workbench


@dataclass(frozen=True)
class Source:
    """Where the contexts of a run come from in one conversation; ``memory`` is None for the oracle's."""

    card: RunCard
    conversation: Conversation
    method: Any
    budget: int | None
    memory: Memory | None
    turns: Sequence[Turn]
    tokens: TokenCounter
    flags: Mapping[int, Flag]

    def contestant(self, question: Question) -> tuple[Contestant, Any]:
        """The context that the question is answered from, and the method as it was set for it."""
        if self.memory is None:
            context = oracle_context(question, self.turns, self.tokens, self.budget)
            return Contestant(self.card.title, context, self.turns), None
        method = self._as_set(question, self.memory)
        recall = self.memory.recall(question.query, method, self.budget)
        return Contestant(self.card.title, recall.context, self.turns, recall), method

    def row(self, question: Question, answerer: Answerer | None) -> ResultRow:
        """What the context holds of the question's gold; with a model also what it will be asked."""
        contestant, method = self.contestant(question)
        gold = gold_of(question, self.turns)
        missed = set(gold.turns) - set(contestant.context.turn_ids)
        flag = self.flags.get(question.index)
        row = ResultRow(
            conversation_id=self.conversation.conversation_id,
            conversation=self.conversation.title,
            question=question,
            gold=gold,
            retrieval=self._measured(contestant, contestant.context, gold),
            lost={it: self._stage(question, method, it, contestant) for it in gold.turns if it in missed},
            flag=flag.kind if flag else "",
            reranking_seconds=stage_seconds(contestant.recall, "rerank"),
        )
        return row if answerer is None else replace(row, **self._prompt(question, contestant, answerer))

    def as_sent(self, row: ResultRow, contestant: Contestant, dropped: int) -> ResultRow:
        """The row with what was sent of the context: the oldest part may have exceeded the model's window."""
        context = contestant.context
        if dropped:
            context = without_oldest(context, self.turns, self.tokens, dropped, "exceeds the model's window")
        lost: dict[TurnId, LossStage] = {
            turn_id: stage for turn_id, stage in row.lost.items() if stage != "cut by window"
        }
        sent = {*context.turn_ids, *lost}
        lost |= {turn_id: "cut by window" for turn_id in row.gold.turns if turn_id not in sent}
        return replace(row, retrieval=self._measured(contestant, context, row.gold), lost=lost)

    def _measured(self, contestant: Contestant, context: EvidenceContext, gold: Gold) -> Retrieval:
        by_id = {turn.turn_id: turn for turn in self.turns}
        if contestant.recall is None:
            return measure_context(context, gold, by_id)
        return measure(replace(contestant.recall, context=context), gold, by_id)

    def _as_set(self, question: Question, memory: Memory) -> Any:
        if self.card.graph == "on":
            return self.method
        alone = self.method.without_graph()
        if self.card.graph == "off":
            return alone
        wanted = memory.recall(question.query, self.method, self.budget).context.tokens
        control = at_equal_tokens(memory, self.method, question.query, (), wanted, self.budget)
        if control is not None:
            return control.method
        table = memory.entries(question.query, alone)  # already its smallest context costs more
        return alone if table is None else with_settings(alone, {table.counted: 1})

    def _stage(self, question: Question, method: Any, turn_id: TurnId, contestant: Contestant) -> LossStage:
        """Where a gold turn was lost. What the budget did not cut was never chosen, whatever the budget."""
        if self.memory is None or any(item.turn_id == turn_id for item in contestant.context.cut):
            return "cut by budget"
        return self.memory.explain(question.query, method, turn_id).stage

    def _prompt(self, question: Question, contestant: Contestant, answerer: Answerer) -> dict[str, Any]:
        """The key of the request that comes first; a context that turns out too long is asked about again."""
        about = self.conversation.conversation_id
        context = contestant.context
        with suppress(ChatFailure):  # nothing of it fits, which is the answer's failure
            context = answerer.fitted(question.query, context, self.turns)
        request = answerer.request(question.query, context, about)
        count = context.tokens + answerer.around(question.query)
        return {"request_key": request.key(answerer.chat.name), "prompt_tokens": count}


def stage_seconds(recall: Recall | None, name: str) -> float | None:
    """How long a stage of a recall took; None where there is no such stage."""
    found = [stage.seconds for stage in recall.trace if stage.name == name] if recall else []
    return sum(found) if found else None


def source(
    workbench: Workbench,
    card: RunCard,
    entry: RunConversation,
    ranked_by: Mapping[str, Reranker] | None = None,
) -> Source:
    """The source of a run in one of its conversations, with its own rerankers where it has any.

    Raises BadInput where the cues are others than when the run began, NotBuilt where the memory is gone, and
    UnknownName where the conversation is.
    """
    store = workbench.store
    conversation = store.conversation(entry.conversation_id)
    flags = store.flagged(entry.conversation_id)
    if card.method == ORACLE:
        turns = cut_turns(conversation, entry.settings["turn_unit"])
        return Source(card, conversation, None, entry.budget, None, turns, workbench.tokens, flags)
    method = with_settings(method_named(card.method), entry.settings)
    held = cue_origin(store, conversation, method)
    if held != entry.cue_set and (
        held is None or entry.cue_set is None or held.content_hash != entry.cue_set.content_hash
    ):
        raise BadInput(
            f"The {method.noun}s of {conversation.title} have changed since the run began, or what is used beside "
            "them has, so its questions would not be measured alike. Begin a new run."
        )
    memory = workbench.memory(entry.conversation_id, method, ranked_by=ranked_by)
    return Source(card, conversation, method, entry.budget, memory, memory.turns, workbench.tokens, flags)


def cue_origin(store: Store, conversation: Conversation, method: Any) -> CueOrigin | None:
    """The cues, or whatever else, that the method's memory is made from."""
    material = material_of(method)
    held = None if material is None else material.origin(store, conversation, method)
    return None if held is None else CueOrigin(*held)


def select(
    store: Store,
    conversations: Sequence[ConversationId],
    limit: int | None,
    categories: Sequence[str],
    seed: int | None,
) -> list[Asked]:
    """The questions of these conversations, in their order: of these categories, at most so many in all.

    A category is called by its number, its name, or both as they are shown; ``abstention`` means those whose right
    reply is that it was not mentioned. Under a limit they are :func:`spread`, or without a seed the first of each
    conversation, as many as of every other. Raises BadInput for a category that no question has, and where no
    question is left.
    """
    found = {key: list(store.questions(key)) for key in conversations}
    labels = sorted({category_label(question) for questions in found.values() for question in questions})
    for name in categories:
        if not any(_is_of(question, name) for questions in found.values() for question in questions):
            raise BadInput(f"No question is of category {name!r}; there are {', '.join(labels) or 'none'}.")
    if categories:
        found = {
            key: [question for question in questions if any(_is_of(question, name) for name in categories)]
            for key, questions in found.items()
        }
    asked = [(key, question) for key in found for question in found[key]]
    if limit is not None:
        asked = _first(found, limit) if seed is None else spread(asked, limit, seed)
    if not asked:
        raise BadInput("The conversations that are chosen hold no question. Choose others.")
    return asked


def _first(found: Mapping[ConversationId, Sequence[Question]], limit: int) -> list[Asked]:
    shares = dict.fromkeys(found, 0)
    left = limit
    while left and (behind := [key for key in found if shares[key] < len(found[key])]):
        for key in behind[:left]:
            shares[key] += 1
        left -= min(left, len(behind))
    return [(key, question) for key in found for question in found[key][: shares[key]]]


def question_hash(asked: Sequence[Asked]) -> str:
    """What two runs over the same questions have in common."""
    return fingerprint(sorted((key, question.index) for key, question in asked))


def asked_by(store: Store, card: RunCard) -> list[Asked]:
    """The questions of a run. Raises BadInput where they are no longer those that it began with."""
    wanted = card.questions
    ids = [entry.conversation_id for entry in card.conversations]
    try:
        asked = select(store, ids, wanted.limit, wanted.categories, wanted.seed)
    except CueMemError as error:
        raise BadInput(f"The questions of the run are not all here: {error}") from error
    if question_hash(asked) != wanted.hash:
        raise BadInput("The questions of the run are not those that it began with. Begin a new run.")
    return asked


def _is_of(question: Question, name: str) -> bool:
    """Whether a category's name, as people write it, means the question's."""
    wanted = name.strip().casefold()
    if wanted == "abstention":
        return question.unanswerable
    number = "" if question.category_number is None else str(question.category_number)
    return wanted in (number, question.category.casefold(), category_label(question).casefold())
