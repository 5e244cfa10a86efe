"""What the readers of all datasets share: what they give, and how they treat a value of the wrong type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cuemem.errors import BadInput
from cuemem.problems import ProblemList
from cuemem.text import as_text
from cuemem.turns import cut_turns
from cuemem.types import Conversation, ConversationId, Problem, Question

UNKNOWN = "unknown"
UNKNOWN_SPEAKER = "Unknown"


@dataclass(frozen=True, slots=True)
class LoadedConversation:
    """One sample of a file: the conversation, its questions, and what was wrong with either.

    ``observations`` are the statements that LoCoMo brings along, as pairs of utterance id and statement; one
    that points to several turns is one pair for each. Other datasets have none.
    """

    conversation: Conversation
    questions: tuple[Question, ...]
    problems: tuple[Problem, ...]
    observations: tuple[tuple[str, str], ...] = ()


# A parsed sample, the id its conversation gets, and the name it gets if it has none of its own.
Reader: TypeAlias = Callable[[Mapping[str, Any], ConversationId, str], LoadedConversation]


@dataclass(frozen=True, slots=True)
class Line:
    """One item of a file that as a whole is one conversation. ``number`` is how people find it in the file."""

    number: int
    place: str  # "line 7", or "entry 7" in a list
    value: Any


LineReader: TypeAlias = Callable[[Sequence[Line], ConversationId, str], LoadedConversation]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that can be loaded. ``layout`` says in words by what a sample of it is recognised.

    ``read`` makes a conversation of each item of a file; where ``read_lines`` is given, it makes one of all of
    them, and ``recognises`` is asked about the first.
    """

    name: str
    layout: str
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Reader | None = None
    read_lines: LineReader | None = None


def list_of(value: Any, what: str) -> list[Any]:
    """A list that may be missing. Raises :class:`BadInput` for any other kind of value."""
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise BadInput(f"{what} is {kind_of(value)} where a list belongs. Correct it in the file.")
    return value


def object_of(value: Any, key: str) -> Mapping[str, Any]:
    """An object; any other value counts as an object that has it under ``key``, so that nothing is lost."""
    return value if isinstance(value, Mapping) else {key: value}


def message_text(value: Any, place: str, problems: ProblemList) -> str:
    """What was said, unchanged; another JSON value as JSON writes it, and that is reported."""
    text = as_text(value)
    if not isinstance(value, str):
        found = "missing" if value is None else f"{kind_of(value)}, kept as {text[:40]!r}"
        problems.add("text not a string", place, f"The text is {found}.")
    elif not text.strip():
        problems.add("text empty", place, "The text is empty; the turn was kept.")
    return text


def sample_name(value: Any, default: str, problems: ProblemList) -> str:
    """The sample's own id, or the default where it has none; the problems are filed under it."""
    name = as_text(value).strip()
    problems.sample_id = name or default
    if not name:
        problems.add("sample id missing", "sample", f"The sample has no id; it is called {default!r}.")
    return problems.sample_id


def unique_id(wanted: str, taken: Collection[str]) -> str:
    """The id itself, or with ``#2``, ``#3``, … after it where it is already taken."""
    candidate, number = wanted, 1
    while candidate in taken:
        number += 1
        candidate = f"{wanted}#{number}"
    return candidate


def exchange_names(draft: Conversation) -> dict[str, str]:
    """``S<session>:<exchange>.<message>`` for each provisional id, the exchanges as the turn cutter makes them."""
    names: dict[str, str] = {}
    exchanges: dict[int, int] = {}
    for turn in cut_turns(draft, "exchange"):
        exchanges[turn.session] = exchanges.get(turn.session, 0) + 1
        for number, utterance in enumerate(turn.utterances, start=1):
            names[utterance.utterance_id] = f"S{turn.session}:{exchanges[turn.session]}.{number}"
    return names


def kind_of(value: Any) -> str:
    """The JSON type of a value, with its article."""
    kinds = {bool: "a boolean", str: "a string", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
