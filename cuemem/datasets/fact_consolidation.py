"""FactConsolidation of MemoryAgentBench: numbered facts that contradict each other, and questions on the newest.

Each fact is a turn with its number as serial time: a larger one is newer. An item is one conversation of one session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cuemem.datasets.common import Dataset, LoadedConversation, list_of, object_of, sample_name, unique_id
from cuemem.errors import BadInput
from cuemem.problems import ProblemList
from cuemem.text import as_text
from cuemem.types import Conversation, ConversationId, Question, Session, Utterance

NAME = "factconsolidation"
SPEAKER = "Fact"
_FACT = re.compile(r"\s*(\d{1,9})\.\s+(\S.*)")
_HOPS = {"sh": "single-hop", "mh": "multi-hop"}
_MOST = 2**31 - 1  # of a serial number in the store


def recognises(item: Mapping[str, Any]) -> bool:
    """Whether this is an item: facts in one text, with questions and lists of accepted answers."""
    return {"context", "questions", "answers"} <= item.keys() and isinstance(item["context"], str)


def read(item: Mapping[str, Any], conversation_id: ConversationId, default_name: str) -> LoadedConversation:
    """An item as a conversation and its questions. Raises :class:`BadInput` where it holds no numbered fact."""
    problems = ProblemList()
    about = object_of(item.get("metadata"), "source")
    name = sample_name(about.get("source"), default_name, problems)
    utterances = tuple(_utterances(str(item["context"]), problems))
    if not utterances:
        raise BadInput("its context holds no numbered fact (“0. …”, one a line). Correct it in the file.")
    conversation = Conversation(conversation_id, NAME, name, (Session(1, None),), utterances)
    questions = tuple(_questions(item, name, problems))
    if questions:
        detail = f"None of the {len(questions)} questions cites the facts that answer it."
        problems.add("no evidence", "questions", detail)
    else:
        problems.add("no questions", "questions", "The item holds no question.")
    return LoadedConversation(conversation, questions, problems.as_tuple())


FACT_CONSOLIDATION = Dataset(
    NAME, 'an object with "context" (numbered facts), "questions" and "answers"', recognises, read
)


def _utterances(context: str, problems: ProblemList) -> Iterator[Utterance]:
    """The facts in the order of their numbers; a line without one belongs to the fact before it."""
    facts: list[tuple[int, str]] = []
    for number, line in enumerate(context.splitlines(), 1):
        match = _FACT.fullmatch(line)
        if match is not None and int(match[1]) <= _MOST:
            facts.append((int(match[1]), match[2].strip()))
        elif facts and line.strip():
            problems.add(
                "fact malformed", f"context, line {number}", "The line has no number; it joins the last fact."
            )
            facts[-1] = (facts[-1][0], f"{facts[-1][1]} {line.strip()}")
    ordered = sorted(facts, key=lambda fact: fact[0])
    if moved := sum(one is not other for one, other in zip(facts, ordered, strict=True)):
        problems.add("messages reordered", "context", f"{moved} facts moved; they are sorted by their numbers.")
    taken: set[str] = set()
    for serial, text in ordered:
        wanted = f"F{serial}"
        utterance_id = unique_id(wanted, taken)
        if utterance_id != wanted:
            problems.add(
                "turn id repeated", f"fact {serial}", f"Two facts have this number; one is {utterance_id!r}."
            )
        taken.add(utterance_id)
        yield Utterance(utterance_id, 1, SPEAKER, f"{serial}. {text}", serial=serial)


def _questions(item: Mapping[str, Any], name: str, problems: ProblemList) -> Iterator[Question]:
    """The questions; the answer of each is the list of those accepted."""
    texts, answers = (list_of(item.get(key), key) for key in ("questions", "answers"))
    if len(texts) != len(answers):
        detail = f"{len(texts)} questions, {len(answers)} answers; what is missing is unknown."
        problems.add("lists differ in length", "questions", detail)
    hops = next((category for sign, category in _HOPS.items() if f"_{sign}_" in name), "unknown")
    if hops == "unknown" and texts:
        problems.add("category unknown", "metadata", f"{name!r} says neither sh nor mh.")
    for index, text in enumerate(texts):
        answer = answers[index] if index < len(answers) else None
        if answer in (None, "", []):
            problems.add("answer missing", f"question {index}", "There is no answer to be judged by.", index)
        yield Question(index, as_text(text), answer, hops)
