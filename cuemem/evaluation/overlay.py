"""Known faults of the gold: a list from elsewhere, laid over loaded questions.

A flag changes no score by itself. Scores are shown with and without the flagged questions; gold with the list's
values in place of the file's is a view of its own, and called corrected gold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cuemem.evaluation.metrics import Summary
from cuemem.evaluation.retrieval import Scored, summaries
from cuemem.problems import ProblemList
from cuemem.text import as_text
from cuemem.types import Conversation, ConversationId, Evidence, Flag, Problem, Question

QuestionKey = tuple[ConversationId, int]
FLAGGED = "FLAGGED"  # the kind of an entry that gives none

_QUESTION_ID = re.compile(r"(\w+?)_(\d{1,9})_qa(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list: the question it means, and what it says of it.

    The conversation is named by dataset and position in the file (``locomo_<position>_qa<index>``, both from 0),
    or by its sample id. ``question`` is the text the list has for it, None where it has none.
    """

    place: str
    index: int
    question: str | None
    flag: Flag
    cited: tuple[str, ...] | None
    dataset: str | None = None
    position: int | None = None
    sample_id: str | None = None

    def means(self, conversation: Conversation) -> bool:
        """Whether it is about this conversation, going by names."""
        if self.sample_id is not None:
            return conversation.sample_id == self.sample_id
        position = int(conversation.conversation_id.rpartition("/")[2])
        return (conversation.dataset, position) == (self.dataset, self.position)


@dataclass(frozen=True, slots=True)
class Matched:
    """The flags that a list puts on questions, and what of it fits nothing."""

    flags: Mapping[QuestionKey, Flag]
    problems: tuple[Problem, ...]


def read_entries(items: Iterable[Any], source: str) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    """The entries of a parsed list; what names no question is left out and reported.

    An entry has ``question_id``, or ``sample_id`` and ``question_index``; all else may be missing: ``question``,
    ``error_type``, ``reasoning``, ``correct_answer``, ``correct_evidence``.
    """
    problems = ProblemList()
    entries: list[Entry] = []
    for number, item in enumerate(items, 1):
        place = f"entry {number:,}"
        named = _named(item) if isinstance(item, Mapping) else None
        if named is None:
            detail = f'There is neither "question_id" nor "sample_id" and "question_index": {as_text(item)[:60]!r}.'
            problems.add("flag malformed", place, detail)
            continue
        cited = item.get("correct_evidence")
        entries.append(
            Entry(
                place=place,
                question=None if item.get("question") is None else as_text(item["question"]),
                flag=Flag(
                    kind=as_text(item.get("error_type")).strip() or FLAGGED,
                    reasoning=as_text(item.get("reasoning")),
                    correct_answer=item.get("correct_answer"),
                    source=source,
                ),
                cited=None if cited is None else tuple(map(as_text, cited if isinstance(cited, list) else [cited])),
                **named,
            )
        )
    return tuple(entries), problems.as_tuple()


def _named(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Which question an entry means, as fields of :class:`Entry`."""
    match = _QUESTION_ID.fullmatch(as_text(item.get("question_id")).strip())
    if match is not None:
        return {"dataset": match[1], "position": int(match[2]), "index": int(match[3])}
    sample_id, index = as_text(item.get("sample_id")).strip(), item.get("question_index")
    if sample_id and type(index) is int and index >= 0:
        return {"sample_id": sample_id, "index": index}
    return None


def match(entries: Sequence[Entry], loaded: Sequence[tuple[Conversation, Sequence[Question]]]) -> Matched:
    """Lay a list over the conversations of one file. A question of another text is never flagged."""
    problems = ProblemList()
    flags: dict[QuestionKey, Flag] = {}
    for entry in entries:
        meant = [(talk, questions) for talk, questions in loaded if entry.means(talk)]
        problems.sample_id = meant[0][0].sample_id if meant else entry.sample_id or ""
        if len(meant) != 1 or entry.index >= len(meant[0][1]):
            what = f"{len(meant)} conversations are called so" if len(meant) > 1 else "it is not among those loaded"
            problems.add("flag question unknown", entry.place, f"Question {entry.index}: {what}.", entry.index)
            continue
        talk, questions = meant[0]
        question = questions[entry.index]
        if entry.question is not None and _plain(entry.question) != _plain(question.text):
            detail = f"The list has {entry.question[:80]!r}, the file {question.text[:80]!r}."
            problems.add("flag question differs", entry.place, detail, entry.index)
        elif (talk.conversation_id, question.index) in flags:
            problems.add("flag repeated", entry.place, "An earlier entry flags the question too.", entry.index)
        else:
            evidence = _resolved(entry, talk, problems)
            flags[talk.conversation_id, question.index] = replace(entry.flag, correct_evidence=evidence)
    return Matched(flags, problems.as_tuple())


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _resolved(entry: Entry, talk: Conversation, problems: ProblemList) -> tuple[Evidence, ...] | None:
    if entry.cited is None:
        return None
    sessions = {utterance.utterance_id: utterance.session for utterance in talk.utterances}
    for cited in entry.cited:
        if cited not in sessions:
            problems.add("flag evidence unresolved", entry.place, f"There is no turn {cited!r}.", entry.index)
    return tuple(
        Evidence(cited, cited, sessions[cited]) if cited in sessions else Evidence(cited) for cited in entry.cited
    )


# --- what flags are used for -------------------------------------------------------------------------------------


def corrected(question: Question, flag: Flag) -> Question:
    """The question with corrected gold: the list's evidence, and its answer unless the file's is right.

    With WRONG_CITATION the file's answer stays word for word, whatever remark the list puts in its place.
    """
    answer = question.answer if flag.correct_answer is None or not flag.answer_is_wrong else flag.correct_answer
    evidence = question.evidence if flag.correct_evidence is None else flag.correct_evidence
    return replace(question, answer=answer, evidence=evidence)


def corrected_questions(questions: Iterable[Question], flags: Mapping[int, Flag]) -> tuple[Question, ...]:
    """The questions of a conversation in the view of corrected gold."""
    return tuple(corrected(q, flags[q.index]) if q.index in flags else q for q in questions)


def without_flagged(scored: Iterable[Scored], flagged: Collection[QuestionKey]) -> tuple[Scored, ...]:
    """The scored questions that no list calls faulty."""
    return tuple(row for row in scored if (row.conversation_id, row.question.index) not in flagged)


@dataclass(frozen=True, slots=True)
class WithAndWithout:
    """Summaries over all questions and over those that are not flagged; ``flagged`` is how many were left out."""

    everything: tuple[Summary, ...]
    unflagged: tuple[Summary, ...]
    flagged: int


def with_and_without(scored: Sequence[Scored], flagged: Collection[QuestionKey]) -> WithAndWithout:
    """The summaries of :func:`cuemem.evaluation.retrieval.summaries`, both ways."""
    rest = without_flagged(scored, flagged)
    return WithAndWithout(summaries(scored), summaries(rest), len(scored) - len(rest))
