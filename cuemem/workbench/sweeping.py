"""Sweeps over the memories of several conversations, from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuemem.adapters.store import ResultRecord
from cuemem.errors import BadInput
from cuemem.evaluation.plain_sweep import Row, combinations, of_rows, recalled
from cuemem.evaluation.sweep import Gold, scorable, sweep
from cuemem.evaluation.swept import Axes, Swept, joined
from cuemem.knobs import settings, with_settings
from cuemem.methods import method_named
from cuemem.ports import Progress, no_progress
from cuemem.types import ConversationId, Question
from cuemem.workbench.cards import run_card, run_id
from cuemem.workbench.workbench import Workbench

NOTHING_COUNTS = "None of these conversations has an answerable question with gold turns, so nothing counts."
SWEEP = "sweep"  # the kind of its runs


@dataclass(frozen=True, slots=True)
class Member:
    """A conversation that is swept, and the method with the knobs of the memory that is meant."""

    conversation_id: ConversationId
    method: Any


def scorable_questions(workbench: Workbench, member: Member) -> list[Question]:
    """The questions of a conversation that a sweep counts, their vectors at hand."""
    questions = [question for question in workbench.store.questions(member.conversation_id) if scorable(question)]
    workbench.embedder.hold([question.text for question in questions])
    return questions


def swept(workbench: Workbench, members: Sequence[Member], progress: Progress = no_progress) -> Swept | None:
    """All settings over all members at once; None where the method's contexts do not nest.

    Raises BadInput where no question can be scored.
    """
    found = []
    for done, member in enumerate(members):
        progress("conversations", done, len(members))
        if questions := scorable_questions(workbench, member):
            memory = workbench.memory(member.conversation_id, member.method)
            part = sweep(memory, member.method, questions, workbench.tokens)
            if part is None:
                return None
            found.append(part)
    if not found:
        raise BadInput(NOTHING_COUNTS)
    return joined(found)


def rendered_tokens(
    workbench: Workbench, members: Sequence[Member], setting: Mapping[str, Any], progress: Progress = no_progress
) -> list[int]:
    """The exact tokens of the rendered context of every scorable question at one setting, without a budget."""
    found: list[int] = []
    for done, member in enumerate(members):
        progress("conversations", done, len(members))
        method = with_settings(member.method, setting)
        memory = workbench.memory(member.conversation_id, member.method)
        found += [
            memory.recall(question.query, method).context.tokens for question in scorable_questions(workbench, member)
        ]
    return found


def axes_of(workbench: Workbench, members: Sequence[Member]) -> tuple[str, ...] | None:
    """The knobs that :func:`swept` sweeps; None where contexts do not nest. Raises BadInput like it."""
    for member in members:
        if questions := scorable_questions(workbench, member):
            memory = workbench.memory(member.conversation_id, member.method)
            table = memory.entries(questions[0].query, member.method)
            return None if table is None else (*table.axes, table.counted)
    raise BadInput(NOTHING_COUNTS)


def run_of(
    workbench: Workbench, members: Sequence[Member], axes: Axes, budget: int | None
) -> tuple[str, dict[str, Any]]:
    """The id and the card of the run that keeps a sweep setting by setting."""
    start = next(combinations(axes))
    store = workbench.store
    entries = [(store.conversation(it.conversation_id), with_settings(it.method, start), budget) for it in members]
    card = run_card(workbench, SWEEP, entries, axes={name: list(values) for name, values in axes.items()})
    return run_id(card), card


def measure(
    workbench: Workbench, members: Sequence[Member], axes: Axes, budget: int | None, progress: Progress = no_progress
) -> Swept:
    """Sweep setting by setting and keep each question's result, so that it goes on where it was stopped."""
    run, card = run_of(workbench, members, axes, budget)
    store = workbench.store
    store.save_run(run, SWEEP, card)
    done = {(it.conversation_id, it.question_index) for it in store.results(run)}
    asked = [(member, scorable_questions(workbench, member)) for member in members]
    total, count = sum(len(questions) for _, questions in asked), len(done)
    for member, questions in asked:
        missing = [it for it in questions if (member.conversation_id, it.index) not in done]
        progress("questions", count, total)
        memory = workbench.memory(member.conversation_id, member.method)
        for row in recalled(memory, member.method, missing, axes, budget):
            values = {"found": row.found, "turns": row.turns, "tokens": row.tokens}
            store.add_results(run, [ResultRecord(member.conversation_id, row.asked.index, values)])
            count += 1
            progress("questions", count, total)
    found = stored(workbench, members, axes, budget)
    assert found is not None
    return found


def stored(workbench: Workbench, members: Sequence[Member], axes: Axes, budget: int | None) -> Swept | None:
    """A sweep setting by setting as it is kept; None where it was not made, or not to its end."""
    run, _ = run_of(workbench, members, axes, budget)
    if not any(it.run_id == run for it in workbench.store.runs()):
        return None
    kept = {(it.conversation_id, it.question_index): it.values for it in workbench.store.results(run)}
    rows = []
    for member in members:
        memory = None
        for question in filter(scorable, workbench.store.questions(member.conversation_id)):
            values = kept.get((member.conversation_id, question.index))
            if values is None:
                return None
            memory = memory or workbench.memory(member.conversation_id, member.method)
            asked, _ = Gold(memory).of(question)
            rows.append(Row(asked, *(tuple(values[name]) for name in ("found", "turns", "tokens"))))
    return of_rows(axes, rows) if rows else None


def sweep_details(members: Sequence[Member], axes: Axes, budget: int | None) -> dict[str, Any]:
    """What a job needs to sweep setting by setting."""
    start = next(combinations(axes))  # so that the same sweep is the same job, wherever its sliders stood
    return {
        "method": members[0].method.name,
        "members": [[it.conversation_id, settings(with_settings(it.method, start))] for it in members],
        "axes": {name: list(values) for name, values in axes.items()},
        "budget": budget,
    }


def sweep_task(workbench: Workbench, details: Mapping[str, Any], progress: Progress) -> None:
    """The job: see :func:`measure`."""
    method = method_named(details["method"])
    members = [Member(name, with_settings(method, values)) for name, values in details["members"]]
    axes = {name: tuple(values) for name, values in details["axes"].items()}
    measure(workbench, members, axes, details["budget"], progress)
