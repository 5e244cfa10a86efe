"""LoCoMo: two people, many sessions, questions in five categories with cited turns as evidence.

Two layouts: the released list of samples, whose dialogue lies under ``conversation``, and the older flat one,
an object a file, in which the same keys stand at top level and the sample has no id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any

from cuemem.datasets.citations import Citations
from cuemem.datasets.common import (
    UNKNOWN,
    UNKNOWN_SPEAKER,
    Dataset,
    LoadedConversation,
    list_of,
    message_text,
    object_of,
    sample_name,
    unique_id,
)
from cuemem.datasets.dates import locomo_date
from cuemem.errors import BadInput
from cuemem.problems import ProblemList
from cuemem.text import as_text
from cuemem.types import Conversation, ConversationId, Evidence, Question, Session, Utterance

# The numbers are the released file's. Its papers never state the names, and many projects permute them.
CATEGORY_NAMES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ADVERSARIAL = 5

_SESSION = re.compile(r"session_(\d{1,9})", re.ASCII)
_DATE = re.compile(r"session_\d{1,9}_date_time", re.ASCII)
_OBSERVATION = re.compile(r"session_(\d{1,9})_observation", re.ASCII)


def recognises(sample: Mapping[str, Any]) -> bool:
    """Whether this is a sample in either layout."""
    return isinstance(sample.get("conversation"), Mapping) or any(_SESSION.fullmatch(key) for key in sample)


def read(sample: Mapping[str, Any], conversation_id: ConversationId, default_name: str) -> LoadedConversation:
    """A LoCoMo sample as conversation, questions and observations.

    Turn ids are the file's ``dia_id``; ``query``, a search text the speakers never saw, is left out. Raises
    :class:`BadInput` where a session or the questions are not a list, so that nothing is lost unseen.
    """
    problems = ProblemList()
    sample_id = sample_name(sample.get("sample_id"), default_name, problems)
    dialogue = sample["conversation"] if isinstance(sample.get("conversation"), Mapping) else sample
    sessions: list[Session] = []
    utterances: dict[str, Utterance] = {}
    for number, key in _session_keys(dialogue):
        session = Session(number, _date(dialogue, key, problems))
        sessions.append(session)
        _read_turns(list_of(dialogue[key], key), session, utterances, problems)
    _report_shape(dialogue, sessions, utterances, problems)
    conversation = Conversation(conversation_id, "locomo", sample_id, tuple(sessions), tuple(utterances.values()))
    citations = Citations(conversation.utterances)
    entries = list_of(sample.get("qa"), "qa")
    if not entries:
        problems.add("no questions", "qa", "The sample holds no question.")
    questions = tuple(_question(entry, index, citations, problems) for index, entry in enumerate(entries))
    statements = tuple(_observations(sample, citations, problems))
    return LoadedConversation(conversation, questions, problems.as_tuple(), statements)


LOCOMO = Dataset(
    "locomo", 'an object with "conversation" and "qa", or with "session_1", "session_2", …', recognises, read
)


# --- sessions and turns ------------------------------------------------------------------------------------------


def _session_keys(dialogue: Mapping[str, Any]) -> list[tuple[int, str]]:
    """The numbers and keys of the sessions that the file holds, in numerical order."""
    keys = sorted((int(match[1]), key) for key in dialogue if (match := _SESSION.fullmatch(key)))
    for (number, key), (next_number, next_key) in pairwise(keys):
        if number == next_number:
            raise BadInput(f"{key} and {next_key} are both session {number}. Renumber one of them in the file.")
    return keys


def _date(dialogue: Mapping[str, Any], key: str, problems: ProblemList) -> datetime | None:
    written = dialogue.get(f"{key}_date_time")
    time = locomo_date(written)
    if time is None:
        shown = "is missing" if written is None else f"{as_text(written)[:60]!r} cannot be read"
        problems.add("date unknown", key, f"The date {shown}; it should look like '1:56 pm on 8 May, 2023'.")
    return time


def _read_turns(
    entries: list[Any], session: Session, utterances: dict[str, Utterance], problems: ProblemList
) -> None:
    """Append the turns of a session to ``utterances``, each under an id of its own."""
    if not entries:
        problems.add("session without turns", f"session {session.number}", "The session holds no turn.")
    for position, value in enumerate(entries, start=1):
        entry = object_of(value, "text")
        place = f"session {session.number}, turn {position}"
        wanted = as_text(entry.get("dia_id")).strip()
        if not wanted:
            wanted = f"D{session.number}:{position}"
            problems.add("turn id missing", place, f"The turn has no dia_id; it is called {wanted}.")
        utterance_id = unique_id(wanted, utterances)
        if utterance_id != wanted:
            detail = f"{wanted} is the id of an earlier turn, which evidence goes to; this one is {utterance_id}."
            problems.add("turn id repeated", place, detail)
        place = f"session {session.number}, {utterance_id}"
        speaker = as_text(entry.get("speaker")).strip()
        if not speaker:
            problems.add("speaker missing", place, f"The turn names no speaker; it is kept as {UNKNOWN_SPEAKER}.")
        caption = as_text(entry.get("blip_caption")).strip()
        utterances[utterance_id] = Utterance(
            utterance_id,
            session.number,
            speaker or UNKNOWN_SPEAKER,
            message_text(entry.get("text"), place, problems),
            session.time,
            caption=caption or None,
        )


def _report_shape(
    dialogue: Mapping[str, Any],
    sessions: list[Session],
    utterances: Mapping[str, Utterance],
    problems: ProblemList,
) -> None:
    for one, other in pairwise(session for session in sessions if session.time is not None):
        if one.time is not None and other.time is not None and one.time > other.time:
            detail = f"Session {other.number} is dated before session {one.number}; the numbers decide the order."
            problems.add("session dates out of order", f"session {other.number}", detail)
    orphans = [key for key in dialogue if _DATE.fullmatch(key) and key.removesuffix("_date_time") not in dialogue]
    if orphans:
        detail = f"{len(orphans)} dates have no session ({orphans[0]} is the first); they were left out."
        problems.add("date without session", "conversation", detail)
    if not utterances:
        problems.add("conversation without turns", "conversation", "The conversation holds no turn.")


# --- questions ---------------------------------------------------------------------------------------------------


def _question(value: Any, index: int, citations: Citations, problems: ProblemList) -> Question:
    place = f"question {index}"
    entry = object_of(value, "question")
    number, category = _category(entry.get("category"), index, problems)
    answer, trap = entry.get("answer"), entry.get("adversarial_answer")
    if answer is None and (number != ADVERSARIAL or trap is None):
        problems.add("answer missing", place, "The question has no answer.", index)
    if answer is not None and number == ADVERSARIAL:
        detail = f"It has the answer {as_text(answer)[:60]!r} too; the right reply is that it was not mentioned."
        problems.add("answer beside trap", place, detail, index)
    return Question(
        index,
        message_text(entry.get("question"), place, problems),
        answer,
        category,
        number,
        evidence=tuple(_evidence(entry.get("evidence"), index, citations, problems)),
        adversarial_answer=trap,
    )


def _category(value: Any, index: int, problems: ProblemList) -> tuple[int | None, str]:
    """Number and name; a number that LoCoMo does not have is kept, its name is unknown, and it is reported."""
    digits = value if isinstance(value, str) else str(value) if type(value) is int else ""
    number = int(digits) if re.fullmatch(r"\d{1,9}", digits, re.ASCII) else None
    if number is None or number not in CATEGORY_NAMES:
        known = ", ".join(f"{known} {name}" for known, name in CATEGORY_NAMES.items())
        detail = f"The category {as_text(value)[:40]!r} is none of {known}."
        problems.add("category unknown", f"question {index}", detail, index)
        return number, UNKNOWN
    return number, CATEGORY_NAMES[number]


def _evidence(cited: Any, index: int, citations: Citations, problems: ProblemList) -> Iterator[Evidence]:
    """What a question cites: an entry for each turn, and an empty one for what names none."""
    place = f"question {index}"
    strings = [as_text(entry) for entry in (cited if isinstance(cited, list) else [cited]) if entry not in (None, "")]
    if not strings:
        problems.add("no evidence", place, "The question cites no evidence.", index)
    for text in strings:
        resolved = citations.resolve(text)
        if resolved.repaired:
            names = ", ".join(utterance.utterance_id for utterance in resolved.utterances)
            problems.add("evidence repaired", place, f"{text!r} was read as {names}.", index)
        if resolved.missing:
            detail = f"{text!r} was not resolved: there is no turn {', '.join(resolved.missing)}."
            problems.add("evidence unresolved", place, detail, index)
        for utterance in resolved.utterances:
            yield Evidence(text, utterance.utterance_id, utterance.session)
        for _ in resolved.missing:
            yield Evidence(text)


# --- observations ------------------------------------------------------------------------------------------------


def _observations(
    sample: Mapping[str, Any], citations: Citations, problems: ProblemList
) -> Iterator[tuple[str, str]]:
    """LoCoMo's own statements, each with each turn it points to, in the order of sessions and of the file."""
    nested = sample.get("observation")
    holder = nested if isinstance(nested, Mapping) else sample
    keys = sorted((int(match[1]), key) for key in holder if (match := _OBSERVATION.fullmatch(key)))
    for _, key in keys:
        speakers = holder[key] if isinstance(holder[key], Mapping) else {"": holder[key]}
        for speaker, pairs in speakers.items():
            for position, pair in enumerate(pairs if isinstance(pairs, list) else [pairs]):
                yield from _pointed(pair, f"{key}, {speaker} {position}", citations, problems)


def _pointed(pair: Any, place: str, citations: Citations, problems: ProblemList) -> Iterator[tuple[str, str]]:
    """One observation [text, pointer]; the pointer is an id, a list of ids, or ids joined in one string."""
    if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and pair[0].strip()):
        problems.add("observation malformed", place, f"{as_text(pair)[:60]!r} is not a text and its turn ids.")
        return
    statement, pointer = pair[0].strip(), pair[1]
    seen: dict[str, None] = {}
    for cited in pointer if isinstance(pointer, list) else [pointer]:
        resolved = citations.resolve(as_text(cited))
        seen.update(dict.fromkeys(utterance.utterance_id for utterance in resolved.utterances))
        if resolved.missing:
            detail = f"{statement[:60]!r} points to {', '.join(resolved.missing) or 'nothing'}, which is no turn."
            problems.add("observation unresolved", place, detail)
    yield from ((utterance_id, statement) for utterance_id in seen)
