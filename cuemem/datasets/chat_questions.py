"""The questions in a person's own chat, and the evidence that they cite: by line, by turn or by exchange."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from cuemem.datasets.common import Line, message_text
from cuemem.datasets.dates import plain_date
from cuemem.problems import ProblemList
from cuemem.text import as_text
from cuemem.types import Conversation, Evidence, Question, Utterance

CATEGORY = "own question"


class Cited:
    """Finds what evidence names: the number of a line (or of an entry in a list), a turn id, an exchange id."""

    def __init__(self, conversation: Conversation, lines: Sequence[Line]) -> None:
        """``lines`` are those of the conversation's utterances, in their order."""
        self._by_name: dict[str, list[Utterance]] = {}
        for utterance in conversation.utterances:
            self._by_name[utterance.utterance_id] = [utterance]
            if utterance.role != "speaker":
                self._by_name.setdefault(utterance.utterance_id.rpartition(".")[0], []).append(utterance)
        for line, utterance in zip(lines, conversation.utterances, strict=True):
            self._by_name[str(line.number)] = [utterance]

    def named(self, cited: str) -> Sequence[Utterance]:
        """The messages that evidence names, all of an exchange; none where it names nothing."""
        return self._by_name.get(cited.strip(), ())


def read_question(line: Line, entry: Mapping[str, Any], index: int, cited: Cited, problems: ProblemList) -> Question:
    """A question of the file, with its gold as far as it is given."""
    if entry.get("answer") is None:
        problems.add("answer missing", line.place, "The question has no answer.", index)
    return Question(
        index,
        message_text(entry["question"], line.place, problems),
        entry.get("answer"),
        as_text(entry.get("category")).strip() or CATEGORY,
        time=read_time(entry, line, problems, index),
        evidence=tuple(_evidence(entry.get("evidence"), line, index, cited, problems)),
    )


def read_time(
    entry: Mapping[str, Any], line: Line, problems: ProblemList, question_index: int | None = None
) -> datetime | None:
    """When a message was said or a question asked; what cannot be read is reported."""
    written = entry.get("time")
    time = plain_date(written)
    if time is None and written is not None:
        detail = f"The time {as_text(written)[:60]!r} cannot be read; it should look like '2024-05-01 18:30'."
        problems.add("date unknown", line.place, detail, question_index)
    return time


def _evidence(written: Any, line: Line, index: int, cited: Cited, problems: ProblemList) -> Iterator[Evidence]:
    entries = [as_text(entry) for entry in (written if isinstance(written, list) else [written])]
    entries = [text for text in entries if text.strip()]
    if not entries:
        problems.add("no evidence", line.place, "The question cites no evidence.", index)
    for text in entries:
        found = cited.named(text)
        if not found:
            detail = f"{text[:60]!r} is neither the line of a message nor the id of a turn."
            problems.add("evidence unresolved", line.place, detail, index)
            yield Evidence(text)
        for utterance in found:
            yield Evidence(text, utterance.utterance_id, utterance.session)
