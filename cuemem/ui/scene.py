"""A view resolved against the store: the values that a page draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

from cuemem import knobs
from cuemem.adapters.store import ConversationSummary, MemoryRecord
from cuemem.errors import UnknownName
from cuemem.evaluation.metrics import Gold, gold_of
from cuemem.methods import method_named
from cuemem.ports import Memory
from cuemem.turns import resolve_unit
from cuemem.types import Conversation, Question, Recall, Turn, TurnId, TurnUnit
from cuemem.ui import cache
from cuemem.ui.view import View, ordered, recall_knobs


@dataclass(frozen=True, slots=True)
class Choice:
    """A memory that can be looked at. ``record`` is None where it is built on first use, as without cues.

    ``cues`` is the source it was built from, ``noun`` what that gave; ``others`` are its build-time settings beyond
    source and turn unit that are not at their default, by which memories of one source are told apart.
    """

    cues: str | None
    turns: TurnUnit
    record: MemoryRecord | None
    noun: str = "cue"
    others: tuple[tuple[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """The source, the turn unit and whatever is unusual, as the select box names them."""
        named = [f"{self.cues} {self.noun}s"] if self.cues else []
        unusual = [f"{name.replace('_', ' ')} {value}" for name, value in self.others]
        return " · ".join([*named, f"turn = {self.turns}", *unusual])

    @property
    def key(self) -> str | None:
        """What an address names it by where source and turn unit do not: the beginning of its id."""
        return self.record.memory_id[:8] if self.record is not None and self.others else None


@dataclass(frozen=True)
class Scene:
    """What is looked at, as values; made anew in every run from what :mod:`cuemem.ui.cache` keeps.

    ``view`` has every blank filled in. ``question`` is None where the conversation has none; ``choice`` and
    ``memory`` are None where it has no memory of this method. ``suited`` and ``suited_budget`` are the
    method's defaults for the conversation.
    """

    view: View
    summaries: tuple[ConversationSummary, ...]
    summary: ConversationSummary
    conversation: Conversation
    questions: tuple[Question, ...]
    question: Question | None
    choices: tuple[Choice, ...]
    choice: Choice | None
    method: Any
    suited: Any
    suited_budget: int | None
    memory: Memory | None

    @property
    def budget(self) -> int | None:
        """The token cap, None in paper mode."""
        return self.view.budget if isinstance(self.view.budget, int) else None

    @property
    def turn(self) -> TurnId | None:
        """The selected turn."""
        return self.view.turn

    @cached_property
    def turns(self) -> dict[TurnId, Turn]:
        """The turns by id, in chronological order."""
        return {turn.turn_id: turn for turn in self.memory.turns} if self.memory else {}

    @cached_property
    def gold(self) -> Gold:
        """The gold of the question, on turns and sessions."""
        if self.question is None:
            return Gold((), ())
        return gold_of(self.question, tuple(self.turns.values()))

    @cached_property
    def recall(self) -> Recall:
        """The recall of the question at these settings; only where there are a memory and a question."""
        assert self.memory is not None
        assert self.question is not None
        return self.memory.recall(self.question.query, self.method, self.budget)


def build_scene(view: View) -> tuple[Scene | None, tuple[str, ...]]:
    """The scene of a view, None in a store without conversations, and a sentence for whatever had to give way."""
    complaints: list[str] = []
    summaries = cache.workbench().store.conversations()
    if not summaries:
        return None, ()
    summary = _conversation(view, summaries, complaints)
    conversation = cache.conversation(summary.conversation_id)
    questions = cache.questions(summary.conversation_id)
    question = _question(view, questions, summary, complaints)
    choices = memory_choices(conversation, view.method)
    choice = _choice(view, choices, summary, complaints)
    suited, suited_budget = _built_as(view.method, choice).suited_to(conversation)
    method = knobs.with_settings(suited, dict(view.settings))
    memory = cache.memory(conversation.conversation_id, method, choice.record) if choice else None
    values = {knob.name: getattr(method, knob.name) for knob in recall_knobs(method)}
    filled = replace(
        view,
        conversation=summary.conversation_id,
        question=question.index if question else None,
        cues=choice.cues if choice else None,
        turns=choice.turns if choice else None,
        memory=choice.key if choice else None,
        settings=ordered(method.name, values),
        budget=(suited_budget or "off") if view.budget is None else view.budget,
        turn=_turn(view, memory, complaints),
    )
    chosen = (filled, summaries, summary, conversation, questions, question, choices, choice)
    return Scene(*chosen, method, suited, suited_budget, memory), tuple(complaints)


def memory_choices(conversation: Conversation, name: str) -> tuple[Choice, ...]:
    """The memories that can be looked at: those built, or where nothing is to be built one for either turn unit.

    The usual turn unit comes first, then the name of the source decides: a correction builds a memory anew, which
    must not change the one that a short link leads to.
    """
    workbench = cache.workbench()
    usual = resolve_unit(conversation, "auto")
    method = method_named(name)
    built = [
        Choice(record.cue_source, record.turn_unit, record, method.noun, _others(method, record))
        for record in cache.memories(conversation.conversation_id)
        if (record.method, record.embedding_model) == (name, workbench.embedder.name)
    ]
    if knobs.source_knob(method) is not None:
        return tuple(sorted(built, key=lambda it: (it.turns != usual, it.cues or "", len(it.others), it.key or "")))
    records = {choice.turns: choice.record for choice in built}
    units: list[TurnUnit] = sorted(get_args(TurnUnit), key=lambda unit: unit != usual)
    return tuple(Choice(None, unit, records.get(unit)) for unit in units)


def _others(method: Any, record: MemoryRecord) -> tuple[tuple[str, Any], ...]:
    """The build-time settings of a memory, beyond source and turn unit, that are not at their default."""
    return tuple(
        (knob.name, value)
        for knob in knobs.knobs_of(method)
        if knob.when == "build" and not knob.source and knob.name != "turn_unit"
        if (value := record.settings.get(knob.name, knob.default)) != knob.default
    )


def _built_as(name: str, choice: Choice | None) -> Any:
    """The method with the build-time knobs of the chosen memory."""
    if choice is None:
        return method_named(name)
    settings = choice.record.settings if choice.record else {"turn_unit": choice.turns}
    return knobs.with_settings(method_named(name), settings)


def _conversation(view: View, summaries: Sequence[ConversationSummary], complaints: list[str]) -> ConversationSummary:
    """The conversation that is meant; without one, the first that has a memory."""
    by_id = {summary.conversation_id: summary for summary in summaries}
    if view.conversation in by_id:
        return by_id[view.conversation]
    if view.conversation is not None:
        try:
            return by_id[cache.workbench().store.resolve(view.conversation)]
        except UnknownName:
            complaints.append(
                f"The store holds no conversation “{view.conversation[:80]}”: it may have been removed, or the "
                "link is from another machine. Another one is shown."
            )
    return next((summary for summary in summaries if summary.memories), summaries[0])


def _question(
    view: View, questions: Sequence[Question], summary: ConversationSummary, complaints: list[str]
) -> Question | None:
    by_index = {question.index: question for question in questions}
    if view.question is not None and view.question not in by_index:
        reach = f"has questions {min(by_index)} to {max(by_index)}" if by_index else "has no questions"
        complaints.append(f"There is no question {view.question}: {summary.title} {reach}.")
    first = questions[0] if questions else None
    return first if view.question is None else by_index.get(view.question, first)


def _choice(
    view: View, choices: Sequence[Choice], summary: ConversationSummary, complaints: list[str]
) -> Choice | None:
    """The memory that is meant; else the first."""
    fitting = [
        choice for choice in choices if view.cues in (None, choice.cues) and view.turns in (None, choice.turns)
    ]
    fitting.sort(key=lambda choice: choice.key != view.memory)  # stable: without a name the first stays first
    if choices and not fitting:
        wanted = " · ".join(name for name in (view.cues, view.turns) if name)
        complaints.append(f"{summary.title} has no memory “{wanted[:80]}”; another one is shown.")
    return next(iter(fitting or choices), None)


def _turn(view: View, memory: Memory | None, complaints: list[str]) -> TurnId | None:
    """The selected turn, by its own id or that of an utterance in it."""
    if view.turn is None or memory is None:
        return None
    for turn in memory.turns:
        if view.turn == turn.turn_id or any(view.turn == u.utterance_id for u in turn.utterances):
            return turn.turn_id
    complaints.append(f"This memory has no turn “{view.turn[:40]}”, so none is selected.")
    return None
