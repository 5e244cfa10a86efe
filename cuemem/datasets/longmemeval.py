"""LongMemEval: one instance is a user's chats with an assistant and one question about them.

The sessions are sorted by date, ties in the order of the file, and numbered from 1. A message is named
``S<session>:<exchange>.<message>``. Session ids leak the gold; they stay in ``Session.source_id``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from cuemem.datasets.common import (
    UNKNOWN,
    UNKNOWN_SPEAKER,
    Dataset,
    LoadedConversation,
    exchange_names,
    list_of,
    message_text,
    object_of,
    sample_name,
)
from cuemem.datasets.dates import longmemeval_date
from cuemem.problems import ProblemList
from cuemem.text import as_text
from cuemem.types import Conversation, ConversationId, Evidence, Question, Session, SpeakerRole, Utterance

QUESTION_TYPES = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)
_ABSTENTION = "_abs"
_ROLES: Mapping[str, SpeakerRole] = {"user": "user", "assistant": "assistant"}


def recognises(instance: Mapping[str, Any]) -> bool:
    """Whether this is an instance, of either the S, the M or the oracle file."""
    return "haystack_sessions" in instance


def read(instance: Mapping[str, Any], conversation_id: ConversationId, default_name: str) -> LoadedConversation:
    """An instance as a conversation and its one question.

    Raises :class:`BadInput` where the haystack, or a session in it, is not a list.
    """
    problems = ProblemList()
    question_id = sample_name(instance.get("question_id"), default_name, problems)
    dated = _sorted_sessions(instance, problems)
    messages = [message for entry in dated for message in _messages(entry, problems)]
    draft = Conversation(
        conversation_id,
        "longmemeval",
        question_id,
        tuple(entry.session for entry in dated),
        tuple(message.utterance for message in messages),
    )
    names = exchange_names(draft)
    conversation = replace(
        draft, utterances=tuple(replace(u, utterance_id=names[u.utterance_id]) for u in draft.utterances)
    )
    if not messages:
        problems.add("conversation without turns", "haystack_sessions", "The conversation holds no turn.")
    flagged = [names[message.utterance.utterance_id] for message in messages if message.has_answer]
    question = _question(instance, conversation, question_id, flagged, problems)
    return LoadedConversation(conversation, (question,), problems.as_tuple())


LONGMEMEVAL = Dataset(
    "longmemeval", 'an object with "question", "haystack_sessions" and "haystack_dates"', recognises, read
)


# --- sessions and messages ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _DatedSession:
    session: Session
    entries: list[Any]


@dataclass(frozen=True, slots=True)
class _Message:
    utterance: Utterance
    has_answer: bool


def _sorted_sessions(instance: Mapping[str, Any], problems: ProblemList) -> list[_DatedSession]:
    """The sessions of the file, sorted stably by date; one without a date keeps its place after the one before."""
    histories = list_of(instance.get("haystack_sessions"), "haystack_sessions")
    dates = list_of(instance.get("haystack_dates"), "haystack_dates")
    source_ids = list_of(instance.get("haystack_session_ids"), "haystack_session_ids")
    if not len(histories) == len(dates) == len(source_ids):
        detail = f"{len(histories)} sessions, {len(dates)} dates, {len(source_ids)} ids; what is missing is unknown."
        problems.add("lists differ in length", "haystack_sessions", detail)
    places: list[tuple[datetime, int]] = []
    for position in range(len(histories)):
        time = longmemeval_date(dates[position]) if position < len(dates) else None
        places.append((time or (places[-1][0] if places else datetime.min), position))
    ordered = [position for _, position in sorted(places)]
    if moved := sum(position != place for place, position in enumerate(ordered)):
        problems.add("sessions reordered", "haystack_dates", f"{moved} sessions moved; they are sorted by date.")
    sessions: list[_DatedSession] = []
    for number, position in enumerate(ordered, start=1):
        source_id = as_text(source_ids[position]) if position < len(source_ids) else None
        written = dates[position] if position < len(dates) else None
        session = Session(number, _date(written, f"session {number}", problems), source_id)
        if source_id is not None and any(other.session.source_id == source_id for other in sessions):
            problems.add("session repeated", f"session {number}", "An earlier session has the same id; both stay.")
        sessions.append(_DatedSession(session, list_of(histories[position], f"haystack_sessions[{position}]")))
    return sessions


def _date(written: Any, place: str, problems: ProblemList, question_index: int | None = None) -> datetime | None:
    time = longmemeval_date(written)
    if time is None:
        shown = "is missing" if written is None else f"{as_text(written)[:60]!r} cannot be read"
        detail = f"The date {shown}; it should look like '2023/05/20 (Sat) 02:21'."
        problems.add("date unknown", place, detail, question_index)
    return time


def _messages(dated: _DatedSession, problems: ProblemList) -> Iterator[_Message]:
    """The messages of a session under provisional ids; what is peculiar about them is reported."""
    session, place = dated.session, f"session {dated.session.number}"
    if not dated.entries:
        problems.add("session without turns", place, "The session holds no message.")
    entries = [object_of(value, "content") for value in dated.entries]
    for position, entry in enumerate(entries, start=1):
        where = f"{place}, message {position}"
        written = as_text(entry.get("role")).strip()
        role = _ROLES.get(written.lower(), "speaker")
        speaker = role.capitalize() if role != "speaker" else written or UNKNOWN_SPEAKER
        if role == "speaker":
            problems.add("role unknown", where, f"The role is {written!r}; the message is kept as by {speaker}.")
        text = message_text(entry.get("content"), where, problems)
        utterance = Utterance(f"{session.number}/{position}", session.number, speaker, text, session.time, role)
        yield _Message(utterance, entry.get("has_answer") is True)
    for position, (one, other) in enumerate(pairwise(entries), start=2):
        if one.get("role") == other.get("role"):
            detail = f"Both this message and the one before are by {as_text(one.get('role')) or 'nobody'}."
            problems.add("same role twice", f"{place}, message {position}", detail)


# --- the question ------------------------------------------------------------------------------------------------


def _question(
    instance: Mapping[str, Any],
    conversation: Conversation,
    question_id: str,
    flagged: list[str],
    problems: ProblemList,
) -> Question:
    category = as_text(instance.get("question_type")).strip() or UNKNOWN
    if category not in QUESTION_TYPES:
        detail = f"The question_type {category!r} is none of {', '.join(QUESTION_TYPES)}."
        problems.add("category unknown", "question 0", detail, 0)
    if instance.get("answer") is None:
        problems.add("answer missing", "question 0", "The question has no answer.", 0)
    time = _date(instance.get("question_date"), "question 0", problems, 0)
    later = [s for s in conversation.sessions if time is not None and s.time is not None and s.time > time]
    if later:
        detail = f"{len(later)} sessions are dated after the question; they are kept."
        problems.add("session after question", "question 0", detail, 0)
    return Question(
        0,
        message_text(instance.get("question"), "question 0", problems),
        instance.get("answer"),
        category,
        time=time,
        evidence=tuple(_evidence(instance, conversation, flagged, problems)),
        abstention=question_id.endswith(_ABSTENTION),
    )


def _evidence(
    instance: Mapping[str, Any], conversation: Conversation, flagged: list[str], problems: ProblemList
) -> Iterator[Evidence]:
    """The flagged messages in chronological order, then the gold sessions as listed, each at session level."""
    listed = [as_text(entry) for entry in list_of(instance.get("answer_session_ids"), "answer_session_ids")]
    source_ids = {session.number: session.source_id for session in conversation.sessions}
    session_of = {utterance.utterance_id: utterance.session for utterance in conversation.utterances}
    flagged_sessions = {session_of[utterance_id] for utterance_id in flagged}
    for utterance_id in flagged:
        number = session_of[utterance_id]
        yield Evidence(f"has_answer in {source_ids[number] or f'session {number}'}", utterance_id, number)
    for number in sorted(n for n in flagged_sessions if source_ids[n] not in listed):
        problems.add("flag outside gold session", "question 0", f"Session {number} is not listed as gold.", 0)
    if not listed and not flagged:
        problems.add("no evidence", "question 0", "The question names no gold session and no message is flagged.", 0)
    for cited in listed:
        numbers = [number for number, source_id in source_ids.items() if source_id == cited]
        if not numbers:
            problems.add("evidence unresolved", "question 0", f"The history has no session {cited!r}.", 0)
            yield Evidence(cited)
        for number in numbers:
            if number not in flagged_sessions:
                detail = f"No message of session {number} is flagged; it counts at session level only."
                problems.add("gold by session only", "question 0", detail, 0)
            yield Evidence(cited, None, number)
