"""One question, several contexts, one model and one judge: what is kept of that, and what may still be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from cuemem.adapters.store import KeptReplies, Store, VerdictRecord
from cuemem.errors import ChatFailure
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.compare import Contestant, Row, differences, has_gold, scored
from cuemem.evaluation.judge import Judge
from cuemem.knobs import fingerprint
from cuemem.ports import TokenCounter
from cuemem.prompts import Prompts
from cuemem.types import (
    Answer,
    AnswerStyle,
    ConversationId,
    EvidenceContext,
    JudgeProtocol,
    PromptVersion,
    Query,
    Question,
    Verdict,
)
from cuemem.workbench.answering import answerer, judge
from cuemem.workbench.asking import Asking, Counted, Tally, Wanted
from cuemem.workbench.kept_answers import Replier, human_verdict, kept_answer, kept_verdict
from cuemem.workbench.models import ModelSettings, open_chat

Lacking = Literal["", "answer", "verdict"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of one contestant. ``row`` is None where nothing is kept of it; an answer in it may have failed.

    ``sent`` is its context as the model gets it, cut where it exceeds the window. ``lacks`` is what the models that
    are set can still be asked for; an answer is judged as it comes. ``key`` tells the question to them from others.
    """

    key: str
    contestant: Contestant
    row: Row | None
    sent: EvidenceContext
    human: VerdictRecord | None
    lacks: Lacking


@dataclass(frozen=True)
class Comparison:
    """What is held equal. Reads the store once; made anew, it knows what has come since.

    Without ``answering`` or ``judging`` nobody can be asked; ``protocol`` None says that nobody is to judge.
    ``repliers`` and ``judges`` are the models whose replies the store holds, ``preferred`` the one whose answers
    are looked at; empty means the one that is set. Where that one has not answered, another one's answer is shown.
    """

    store: Store
    tokens: TokenCounter
    prompts: Prompts
    conversation_id: ConversationId
    asked: Question | Query
    contestants: tuple[Contestant, ...]
    answering: ModelSettings | None = None
    judging: ModelSettings | None = None
    style: AnswerStyle = "short"
    priority: bool = True
    protocol: JudgeProtocol | None = "strict"
    repliers: Sequence[str] = ()
    judges: Sequence[str] = ()
    preferred: str = ""

    @property
    def query(self) -> Query:
        """What a method may know of the question."""
        return self.asked if isinstance(self.asked, Query) else self.asked.query

    @property
    def judged(self) -> bool:
        """Whether there is anything to judge by, and anybody to."""
        return isinstance(self.asked, Question) and has_gold(self.asked) and self.protocol is not None

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """What became of the contestants, in their order."""
        return tuple(self._standing(place) for place in range(len(self.contestants)))

    @property
    def differences(self) -> tuple[str, ...]:
        """What makes this no fair comparison, in sentences."""
        return differences([it.row for it in self.standings if it.row and it.row.answer.failure is None])

    @property
    def prompt_version(self) -> PromptVersion:
        """The version of the prompt that all are asked by."""
        return self._silent.prompt

    def prompt(self, standing: Standing) -> str:
        """The exact prompt of a contestant."""
        return self._silent.request(self.query, standing.sent).text

    def ask(self, standings: Sequence[Standing], asking: Asking, tally: Tally) -> None:
        """Ask for what these lack, in the background, so many at once as the models allow."""
        model, judge_ = self._silent, None
        if self.answering is not None:
            model = answerer(self.store, self.answering, self.prompts, self.tokens, self.style, self.priority)
            model = replace(model, chat=Counted(model.chat, tally))
        if self.judging is not None and self.judged and self.protocol is not None:
            judge_ = judge(self.store, self.judging, self.prompts, self.protocol)
            judge_ = replace(judge_, chat=Counted(judge_.chat, tally))
        wanted = [
            Wanted(
                each.key,
                self.conversation_id,
                self.asked,
                each.contestant,
                model,
                judge_,
                each.row.answer if each.row and each.lacks == "verdict" else None,
            )
            for each in standings
            if each.lacks
        ]
        limited = self.answering or self.judging
        asking.start(wanted, limited.limits.concurrency if limited else 1)

    @cached_property
    def _silent(self) -> Answerer:
        """Prompts, style and toggle, with nobody to ask."""
        return Answerer(KeptReplies(self.store, ""), self.prompts, self.tokens, self.style, self.priority)

    @property
    def _name(self) -> str:
        """The name of the model that is set, under which its replies are kept."""
        return self.answering.name if self.answering else ""

    @cached_property
    def _set(self) -> Replier | None:
        """The model that is set."""
        if self.answering is None:
            return None
        return Replier(self.answering.name, open_chat(self.store, self.answering).window)

    @cached_property
    def _meant(self) -> Replier | None:
        """The model whose answers are looked at first."""
        if self._set and self.preferred in ("", self._set.name):
            return self._set
        return Replier.known(self.preferred) if self.preferred else None

    @cached_property
    def _kept(self) -> list[tuple[Replier, list[Answer | None]]]:
        """The models with their answers to each contestant: first the one that is meant, then who answered most."""
        meant = [self._meant] if self._meant else []
        others = [Replier.known(name) for name in self.repliers if name not in {it.name for it in meant}]
        found = [(replier, self._answers(replier)) for replier in [*meant, *others]]
        given = {replier: sum(it is not None and it.failure is None for it in answers) for replier, answers in found}
        return [*found[: len(meant)], *sorted(found[len(meant) :], key=lambda each: -given[each[0]])]

    def _answers(self, replier: Replier) -> list[Answer | None]:
        return [kept_answer(self.store, replier, self._silent, self.query, each) for each in self.contestants]

    def _standing(self, place: int) -> Standing:
        contestant, answer = self.contestants[place], self._answer(place)
        row, human = None, None
        if answer is not None:
            row = self._judged(scored(self.asked, contestant, answer, None))
            if isinstance(self.asked, Question) and has_gold(self.asked):
                human = human_verdict(self.store, self.conversation_id, self.asked, answer)
        key = fingerprint(
            self.conversation_id,
            self._silent.request(self.query, contestant.context).text,
            self.answering and self.answering.name,
            self.judging and self.judging.name,
            self.protocol,
        )
        return Standing(key, contestant, row, self._sent(contestant, answer), human, self._lacks(row))

    def _answer(self, place: int) -> Answer | None:
        """The answer, or the failure, of the model that is meant; else another one's answer."""
        for replier, answers in self._kept:
            answer = answers[place]
            if answer is not None and (answer.failure is None or replier == self._meant):
                return answer
        return None

    def _sent(self, contestant: Contestant, answer: Answer | None) -> EvidenceContext:
        """The context as the model that answered gets it, or the one that would be asked."""
        window = next((it.window for it, _ in self._kept if answer and it.name == answer.model), None)
        if answer is None and self._meant:
            window = self._meant.window
        try:
            silent = replace(self._silent, chat=KeptReplies(self.store, "", window))
            return silent.fitted(self.query, contestant.context, contestant.turns)
        except ChatFailure:  # no room for any context, which asking says
            return contestant.context

    def _judged(self, row: Row) -> Row:
        """The row with its verdict: that of the judge that is set, else another one's."""
        if not self.judged or row.answer.failure is not None:
            return row
        named = [self.judging.name] if self.judging else []
        for name in [*named, *(name for name in self.judges if name not in named)]:
            if verdict := self._verdict(name, row.answer):
                return replace(row, verdict=verdict)
        return row

    def _verdict(self, name: str, answer: Answer) -> Verdict | None:
        assert isinstance(self.asked, Question)
        assert self.protocol is not None
        silent = Judge(KeptReplies(self.store, name), self.prompts, self.protocol)
        return kept_verdict(self.store, name, silent, self.conversation_id, self.asked, answer)

    def _lacks(self, row: Row | None) -> Lacking:
        mine = self._set is not None and self._meant == self._set
        if mine and (row is None or row.answer.failure or row.answer.model != self._name):
            return "answer"
        if row is None or row.answer.failure is not None or not self.judged or self.judging is None:
            return ""
        verdict = row.verdict
        settled = verdict is not None and (
            verdict.outcome == "no answer"
            or (verdict.model == self.judging.name and verdict.outcome in ("correct", "incorrect"))
            or (verdict.usage is not None and verdict.model == self.judging.name)  # asked again it says the same
        )
        return "" if settled else "verdict"
