"""One question, several contexts: the same prompt, model and judge, and what each answer cost (Table 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.f1 import official_f1, set_token_f1, substring_match
from cuemem.evaluation.judge import Judge, accepted
from cuemem.types import Answer, EvidenceContext, Query, Question, Recall, Turn, Verdict


@dataclass(frozen=True, slots=True)
class Contestant:
    """A context to answer from. ``name`` is for people; ``recall`` is None for the oracle's, which no method made."""

    name: str
    context: EvidenceContext
    turns: Sequence[Turn]
    recall: Recall | None = None

    @property
    def reconstruction_seconds(self) -> float | None:
        """Query encoding, cue retrieval, expansion and rendering; None where nothing was retrieved."""
        return sum(stage.seconds for stage in self.recall.trace) if self.recall else None


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one contestant. F1 and verdict are None without gold."""

    contestant: Contestant
    answer: Answer
    verdict: Verdict | None = None
    official_f1: float | None = None
    set_token_f1: float | None = None
    substring_match: float | None = None

    @property
    def tokens_in(self) -> int | None:
        """Input tokens as the model's server counted them."""
        return self.answer.usage.tokens_in if self.answer.usage else None

    @property
    def tokens_out(self) -> int | None:
        """Output tokens."""
        return self.answer.usage.tokens_out if self.answer.usage else None

    @property
    def cost(self) -> float | None:
        """The answer's price in US dollars, None where not known."""
        return self.answer.usage.cost if self.answer.usage else None

    @property
    def inference_seconds(self) -> float | None:
        """The seconds of the answer's call; of a reply from the cache those of the first time."""
        return self.answer.usage.seconds if self.answer.usage else None


def compare(
    asked: Question | Query,
    contestants: Sequence[Contestant],
    answerer: Answerer,
    judge: Judge | None,
    about: str = "",
) -> Iterator[Row]:
    """Each contestant's answer, judged where the question has gold. One row at a time, as they are made."""
    query = asked if isinstance(asked, Query) else asked.query
    for contestant in contestants:
        answer = answerer.answer(query, contestant.context, contestant.turns, about)
        yield scored(asked, contestant, answer, judge, about)


def scored(
    asked: Question | Query, contestant: Contestant, answer: Answer, judge: Judge | None, about: str = ""
) -> Row:
    """The row of an answer that has been given. A question of one's own has no gold, so neither verdict nor F1."""
    if isinstance(asked, Query) or not has_gold(asked):
        return Row(contestant, answer)
    verdict = judge.judge(asked, answer, about) if judge else None
    official = official_f1(asked, answer.text)
    by_sets = None if asked.unanswerable else max(set_token_f1(answer.text, gold) for gold in accepted(asked))
    return Row(contestant, answer, verdict, official, by_sets, substring_match(asked, answer.text))


def has_gold(question: Question) -> bool:
    """Whether there is anything to judge an answer by."""
    return question.unanswerable or bool(accepted(question))


def differences(rows: Sequence[Row]) -> tuple[str, ...]:
    """What makes the rows no fair comparison: sentences for prompt, model or judge that are not the same in all."""
    verdicts = [row.verdict for row in rows if row.verdict]
    varied = {
        "prompts": {str(row.answer.prompt) for row in rows},
        "answering models": {row.answer.model for row in rows},
        "judges": {f"{verdict.model}, {verdict.protocol}, {verdict.prompt}" for verdict in verdicts},
    }
    return tuple(
        f"The {what} differ, so the answers do not compare: {'; '.join(sorted(found))}."
        for what, found in varied.items()
        if len(found) > 1
    )
