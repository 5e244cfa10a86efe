"""A person's own chat: a JSON object for each message, on lines of their own or in one list.

Sessions are the file's where it numbers them. Else a new one begins with another day or after six hours of
silence: a context shows one date for each session, which must be true of every message in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from cuemem.datasets.chat_questions import Cited, read_question, read_time
from cuemem.datasets.common import (
    UNKNOWN_SPEAKER,
    Dataset,
    Line,
    LoadedConversation,
    exchange_names,
    kind_of,
    message_text,
)
from cuemem.errors import BadInput
from cuemem.problems import ProblemList
from cuemem.text import as_text
from cuemem.types import Conversation, ConversationId, Session, SpeakerRole, Utterance

NAME = "chat"
SILENCE = timedelta(hours=6)
EXAMPLE = """\
{"speaker": "Ann", "time": "2024-05-01 18:30", "text": "I have adopted a cat. She is called Tilly."}
{"speaker": "Bo", "time": "2024-05-01 18:31", "text": "How old is she?", "caption": "a grey cat on a sofa"}
{"speaker": "Ann", "time": "2024-05-03 09:00", "text": "Two, says the vet."}
{"question": "How old is Ann's cat?", "answer": "two", "evidence": [2, 3], "time": "2024-06-01"}
"""

# Only where both occur: a diary by "user" alone would else be one single exchange.
_ROLES: Mapping[str, SpeakerRole] = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot"), "assistant"),
}
_MOST = 10**9


@dataclass(frozen=True, slots=True)
class _Message:
    line: Line
    speaker: str
    text: str
    time: datetime | None
    session: int | None
    caption: str | None


def recognises(first: Mapping[str, Any]) -> bool:
    """Whether the first object of a file is a message of a chat."""
    return "speaker" in first and "text" in first


def read_lines(lines: Sequence[Line], conversation_id: ConversationId, name: str) -> LoadedConversation:
    """The chat of a file and its questions, which may stand anywhere after its first message.

    Turns between people are called ``D<session>:<n>``, messages of user and assistant
    ``S<session>:<exchange>.<message>``. Raises BadInput, beginning with the line, for what is neither a message
    nor a question, and for a session that is no number.
    """
    problems = ProblemList(name)
    objects = [(line, _object(line)) for line in lines]
    messages = [_message(line, entry, problems) for line, entry in objects if "question" not in entry]
    _report_missing_times(messages, problems)
    messages = _in_order(messages, problems)
    conversation = _conversation(messages, conversation_id, name, problems)
    cited = Cited(conversation, [it.line for it in messages])
    asked = [(line, entry) for line, entry in objects if "question" in entry]
    questions = tuple(read_question(*one, index, cited, problems) for index, one in enumerate(asked))
    if not questions:
        problems.add("no questions", "file", "The file holds no question.")
    return LoadedConversation(conversation, questions, problems.as_tuple())


CHAT = Dataset(
    NAME, 'a file of objects with "speaker", "time" and "text", one a line', recognises, read_lines=read_lines
)


# --- messages and sessions ---------------------------------------------------------------------------------------


def _object(line: Line) -> Mapping[str, Any]:
    looks_like = f"a message looks like {EXAMPLE.splitlines()[0]}"
    if not isinstance(line.value, Mapping):
        raise BadInput(f"{line.place}: this is {kind_of(line.value)} where an object belongs; {looks_like}")
    if not {"question", "text"} & line.value.keys():
        keys = ", ".join(map(repr, list(line.value)[:6])) or "nothing"
        raise BadInput(f'{line.place}: there is neither "text" nor "question" but {keys}; {looks_like}')
    return line.value


def _message(line: Line, entry: Mapping[str, Any], problems: ProblemList) -> _Message:
    speaker = as_text(entry.get("speaker")).strip()
    if not speaker:
        problems.add("speaker missing", line.place, f"Nobody is named; it is kept as by {UNKNOWN_SPEAKER}.")
    return _Message(
        line,
        speaker or UNKNOWN_SPEAKER,
        message_text(entry["text"], line.place, problems),
        read_time(entry, line, problems),
        _session_number(entry.get("session"), line),
        as_text(entry.get("caption")).strip() or None,
    )


def _session_number(written: Any, line: Line) -> int | None:
    if written is None:
        return None
    text = as_text(written).strip()
    if isinstance(written, bool) or not (text.isascii() and text.isdigit()) or int(text) > _MOST:
        raise BadInput(f"{line.place}: the session {text[:40]!r} is no number from 0 up. Number the sessions.")
    return int(text)


def _report_missing_times(messages: Sequence[_Message], problems: ProblemList) -> None:
    missing = [it.line.place for it in messages if it.line.value.get("time") is None]
    if missing:
        detail = f"{len(missing)} of {len(messages)} messages have no time, the first at {missing[0]}."
        problems.add("date unknown", "file", detail)


def _in_order(messages: Sequence[_Message], problems: ProblemList) -> list[_Message]:
    """The messages with their sessions, in order: by session where the file numbers them, else by time."""
    if any(it.session is not None for it in messages):
        filled, session = [], 0
        for it in messages:
            session = it.session if it.session is not None else session
            filled.append(replace(it, session=session))
        ordered = sorted(filled, key=lambda it: it.session or 0)
        moved = sum(one.line is not other.line for one, other in zip(filled, ordered, strict=True))
        if moved:
            problems.add("sessions reordered", "file", f"{moved} messages moved; they are sorted by session.")
        return ordered
    times, last = [], datetime.min
    for it in messages:
        last = it.time or last  # a message without a time keeps its place after the one before
        times.append(last)
    order = sorted(range(len(messages)), key=times.__getitem__)
    if moved := sum(place != now for now, place in enumerate(order)):
        problems.add("messages reordered", "file", f"{moved} messages moved; they are sorted by time.")
    return list(_with_sessions(messages[place] for place in order))


def _with_sessions(messages: Iterable[_Message]) -> Iterator[_Message]:
    """A new session with another day, or after six hours of silence."""
    number, last = 1, None
    for it in messages:
        if last and it.time and (it.time.date() != last.date() or it.time - last >= SILENCE):
            number += 1
        last = it.time or last
        yield replace(it, session=number)


def _conversation(
    messages: Sequence[_Message], conversation_id: ConversationId, name: str, problems: ProblemList
) -> Conversation:
    roles, counts = _roles(messages), Counter[int]()
    times: dict[int, datetime | None] = {}
    utterances: list[Utterance] = []
    for it in messages:
        session = it.session or 0
        counts[session] += 1
        times[session] = times.get(session) or it.time
        role = roles.get(it.speaker.casefold(), "speaker")
        turn_id = f"D{session}:{counts[session]}"
        utterances.append(Utterance(turn_id, session, it.speaker, it.text, it.time, role, it.caption))
    for (_, before), (number, after) in pairwise(times.items()):
        if before and after and before > after:
            detail = f"Session {number} is dated before the one ahead of it; the numbers decide the order."
            problems.add("session dates out of order", f"session {number}", detail)
    sessions = tuple(Session(number, time) for number, time in times.items())
    draft = Conversation(conversation_id, NAME, name, sessions, tuple(utterances))
    if not roles:
        return draft
    names = exchange_names(draft)
    return replace(draft, utterances=tuple(replace(u, utterance_id=names[u.utterance_id]) for u in utterances))


def _roles(messages: Sequence[_Message]) -> Mapping[str, SpeakerRole]:
    """User and assistant by their names, where the chat is between them; else everybody is a speaker."""
    found = {_ROLES.get(it.speaker.casefold()) for it in messages}
    return _ROLES if {"user", "assistant"} <= found else {}
