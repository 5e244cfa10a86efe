"""Sweeps over the memories of several conversations, from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuemem.errors import BadInput
from cuemem.evaluation.sweep import scorable, sweep
from cuemem.evaluation.swept import Swept, joined
from cuemem.knobs import with_settings
from cuemem.ports import Progress, no_progress
from cuemem.types import ConversationId, Question
from cuemem.workbench.workbench import Workbench


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
        raise BadInput("None of these conversations has an answerable question with gold turns, so nothing counts.")
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
