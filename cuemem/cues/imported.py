"""Cues made elsewhere: a JSON object a line, ``{"dia_id" or "turn_id": …, "cues": [[s, r, o] or "…", …]}``.

A turn is named by the id of an utterance, or of an exchange (``S1:3``), whose cues go to its first message.
So a file serves under either turn unit: a cue belongs to the turn that holds its utterance.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cuemem.errors import BadInput
from cuemem.ports import Extraction
from cuemem.problems import ProblemList
from cuemem.text import as_text, storable
from cuemem.types import Conversation, ConversationId, Problem, Triple, Turn, TurnId

Content: TypeAlias = Triple | str
SHAPE = '{"turn_id": "D1:3", "cues": [["Ann", "adopted", "a cat"]]}'


@dataclass(frozen=True, slots=True)
class ImportedCues:
    """The cues of one file for one conversation; made by :func:`read_cues`.

    ``by_utterance`` holds the contents by utterance id, in the order of the file. ``problems`` lists what could
    not be used, each with its line.
    """

    file: str
    sha256: str
    conversation_id: ConversationId
    by_utterance: Mapping[str, tuple[Content, ...]] = field(repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        return "imported"

    @property
    def provenance(self) -> Mapping[str, str]:
        return {"source": self.name, "file": self.file, "sha256": self.sha256}

    def extract(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterator[Extraction]:
        """Each turn with the cues of its utterances. Raises :class:`BadInput` for another conversation."""
        if conversation.conversation_id != self.conversation_id:
            raise BadInput(
                f"{self.file} was read for another conversation than {conversation.title}. Import it again."
            )
        for turn in turns:
            held = (self.by_utterance.get(utterance.utterance_id, ()) for utterance in turn.utterances)
            yield Extraction(turn.turn_id, tuple(content for contents in held for content in contents))


def read_cues(lines: Iterable[str], conversation: Conversation, *, file: str, sha256: str) -> ImportedCues:
    """Read a cue file for a conversation. Blank lines are skipped; several lines may name one turn.

    What cannot be used is left out and listed among the problems. Raises :class:`BadInput` when no line names
    a turn of the conversation, or when no usable cue is left.
    """
    problems = ProblemList(conversation.sample_id)
    utterances = _utterance_by_name(conversation)
    found: dict[str, list[Content]] = {}
    exchanges = 0
    for number, line in enumerate(lines, start=1):
        place = f"{file}, line {number}"
        if not line.strip("\ufeff \t\r\n"):
            continue
        record = _record(line, place, problems)
        if record is None:
            continue
        turn_name, cues = record
        utterance_id = utterances.get(turn_name)
        if utterance_id is None:
            problems.add("cue turn unknown", place, f"There is no turn {turn_name!r}; {len(cues)} cues left out.")
            continue
        exchanges += utterance_id != turn_name
        found.setdefault(utterance_id, []).extend(_contents(cues, place, problems))
    if not any(found.values()):
        raise _unusable(file, conversation, bool(found), problems.as_tuple())
    if exchanges:
        detail = f"{exchanges} lines name exchanges; where turns are single messages, the first one gets the cues."
        problems.add("cue for an exchange", file, detail)
    by_utterance = {utterance_id: tuple(contents) for utterance_id, contents in found.items()}
    return ImportedCues(file, sha256, conversation.conversation_id, by_utterance, problems.as_tuple())


def _utterance_by_name(conversation: Conversation) -> dict[str, TurnId]:
    """The utterance that a name in the file stands for: its own id, or the id of the exchange it opens."""
    names: dict[str, str] = {}
    for utterance in conversation.utterances:
        if utterance.role != "speaker":
            names.setdefault(utterance.utterance_id.rpartition(".")[0], utterance.utterance_id)
    names.update((utterance.utterance_id, utterance.utterance_id) for utterance in conversation.utterances)
    return names


def _record(line: str, place: str, problems: ProblemList) -> tuple[str, list[Any]] | None:
    """The turn's name and the cues of a line, or None for a line of another shape, which is reported."""
    try:
        value = json.loads(line.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        problems.add("cue line malformed", place, f"The line is not JSON ({storable(str(error))}); it was left out.")
        return None
    name = value.get("turn_id", value.get("dia_id")) if isinstance(value, dict) else None
    cues = value.get("cues") if isinstance(value, dict) else None
    if not (isinstance(name, str) and name.strip() and isinstance(cues, list)):
        problems.add("cue line malformed", place, f"The line has another shape than {SHAPE}; it was left out.")
        return None
    return storable(name.strip()), cues


def _contents(cues: list[Any], place: str, problems: ProblemList) -> Iterator[Content]:
    """The usable cues of a line: three parts are a triple, a string is a statement."""
    for number, cue in enumerate(cues, start=1):
        parts = cue if isinstance(cue, list) and len(cue) == 3 else [cue]
        if not all(isinstance(part, str | int | float) and not isinstance(part, bool) for part in parts):
            detail = f"Cue {number} is neither [subject, relation, object] nor a sentence; it was left out."
            problems.add("cue malformed", place, detail)
            continue
        texts = [storable(as_text(part)).strip() for part in parts]
        if not all(texts):
            problems.add("cue blank", place, f"Cue {number} has an empty part; it was left out.")
        elif len(texts) == 3:
            yield Triple(*texts)
        else:
            yield texts[0]


def _unusable(file: str, conversation: Conversation, matched: bool, problems: tuple[Problem, ...]) -> BadInput:
    if matched:
        return BadInput(f"{file} names turns of {conversation.title} but holds no usable cue for any of them.")
    first = f" {problems[0].place}: {problems[0].detail}" if problems else " It is empty."
    return BadInput(
        f"{file} has no line for a turn of {conversation.title}.{first} "
        f"Choose the cue file of this conversation; a line looks like {SHAPE}."
    )
