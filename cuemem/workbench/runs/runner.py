"""One run on its way, step by step, each question committed by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol

from cuemem.adapters.store import CachedChat
from cuemem.adapters.store.replies import as_failure
from cuemem.errors import Awaited, BadInput, BadSetting, ChatFailure, Stopped
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.compare import scored
from cuemem.evaluation.judge import Judge
from cuemem.evaluation.run import RUN, ResultRow, as_json
from cuemem.parallel import in_order
from cuemem.patience import Patience
from cuemem.ports import ChatModel, Progress
from cuemem.prompts import Prompts
from cuemem.types import ChatRequest, ConversationId
from cuemem.workbench import answering
from cuemem.workbench.extracting import keep_prompt
from cuemem.workbench.models import ModelRole, ModelSettings
from cuemem.workbench.runs.purse import Metered, Purse, Unasked, Waiting, collected
from cuemem.workbench.runs.reading import opened, record_of
from cuemem.workbench.runs.reranking import asks_to_recall, may_ask, run_rerankers
from cuemem.workbench.runs.retrying import answer_keys
from cuemem.workbench.runs.sources import Source, asked_by, source
from cuemem.workbench.runs.timing import Reconstruction
from cuemem.workbench.workbench import Workbench

_AT_ONCE = 64  # rows of retrieval that are committed together


class ModelsByName(Protocol):
    """Where the model of a role is, by its name: the address and the key are in no card."""

    def __call__(self, role: ModelRole, name: str) -> ModelSettings: ...


@dataclass
class Going:
    """What came of one go. ``awaited`` are the requests that a reply is still to come for, by run."""

    purse: Purse
    awaited: dict[str, list[ChatRequest]] = field(default_factory=dict)


class Runner:
    """One run, being brought to its end."""

    def __init__(
        self,
        workbench: Workbench,
        run_id: str,
        models: ModelsByName,
        prompts: Prompts,
        going: Going,
        progress: Progress,
        *,
        ask: bool,
    ) -> None:
        self.workbench, self.store, self.run_id = workbench, workbench.store, run_id
        self.going, self.progress = going, progress
        run = opened(self.store, run_id)
        self.card = run.card
        self.rows = {row.key: row for row in run.rows}
        self.asked = asked_by(self.store, self.card)
        self.ask = ask and not self.card.waits
        self.patience = Patience()
        self.halt: Exception | None = None
        texts = [question.text for _, question in self.asked]
        self.timing = Reconstruction(workbench, texts, self.card.encoding_seconds, self._keep_encoding)
        self.answerer, self.judge_ = self._models(models, prompts)
        self._sources: dict[ConversationId, Source] = {}

    def _models(self, models: ModelsByName, prompts: Prompts) -> tuple[Answerer | None, Judge | None]:
        answering_, judging = self.card.answering, self.card.judging
        if answering_ is None:
            return None, None
        named = models if self.ask else _by_name_alone
        settings = replace(named("answer", answering_.model), window=answering_.window)
        self.concurrency = settings.limits.concurrency
        made = answering.answerer(
            self.store, settings, prompts, self.workbench.tokens, answering_.style, answering_.priority
        )
        _same("answer", str(answering_.prompt), str(made.prompt), self.run_id)
        answerer = replace(made, chat=self._paid(made.chat), max_tokens=answering_.max_tokens)
        if judging is None:
            return answerer, None
        settings = named("judge", judging.model)
        self.judge_concurrency = settings.limits.concurrency
        judge = answering.judge(self.store, settings, prompts, judging.protocol)
        for version in judging.prompts:
            _same("judge", str(version), str(prompts[version.name].version), self.run_id)
            keep_prompt(self.store, prompts, version.name)
        return answerer, replace(judge, chat=self._paid(judge.chat), max_tokens=judging.max_tokens)

    def _paid(self, chat: ChatModel) -> ChatModel:
        """The model as it may be used: paid from the purse, or not asked at all."""
        assert isinstance(chat, CachedChat)
        assert chat.chat is not None
        if not self.ask:
            return replace(chat, chat=Waiting(chat.chat, self.store))
        if self.going.purse.caps.cost is not None and chat.cost(1, 1) is None:
            raise BadSetting(
                f"The price of {chat.name} is not known, so a cap in money cannot be held. Cap the calls instead."
            )
        return replace(chat, chat=Metered(chat.chat, self.going.purse, self.workbench.tokens))

    # --- in the order of the work ---------------------------------------------------------------------------------

    def begin(self, *, retry_failed: bool) -> None:
        """Ask anew what had failed, where that is wanted."""
        if not retry_failed:
            return
        again = [row for row in self.rows.values() if row.failed]
        judged = [self._verdict_key(row) for row in again if row.verdict_failed]
        asked = [key for row in again if row.answer and row.answer.failure for key in self._answer_keys(row)]
        self.store.forget_failures([*asked, *judged])
        cleared = []
        for row in again:
            answer = None if row.answer and row.answer.failure else row.answer
            cleared.append(replace(row, answer=answer, verdict=None))
        self._keep(cleared)

    def _answer_keys(self, row: ResultRow) -> list[str]:
        """What to forget of an answer that failed. A model that is asked at once is asked anew whatever is kept."""
        if self.answerer is None or self.ask:
            return [row.request_key]
        return answer_keys(row, self._source(row.conversation_id), self.answerer, self.store)

    def recall(self, *, leave: bool = False) -> None:
        """The retrieval of every question that has no row yet. A model is asked only where one reranks.

        Raises Unasked, after all else is done, where what was reranked before does not suffice; with ``leave`` these
        questions are left for the go that asks, where there will be one.
        """
        wanting = [(key, question) for key, question in self.asked if (key, question.index) not in self.rows]
        if not wanting:
            return
        self.workbench.embedder.hold([question.text for _, question in wanting])
        done = 0
        unasked: list[Unasked] = []
        for key, group in groupby(wanting, key=lambda it: it[0]):
            made: list[ResultRow] = []
            place = self._source(key)
            try:
                for _, question in group:
                    self.progress(f"{self.card.title}: contexts", done, len(wanting))
                    with collected(unasked):
                        made.append(place.row(question, self.answerer))
                    done += 1
                    if len(made) == _AT_ONCE:
                        self._keep(made)
                        made = []
            finally:  # a cap may stop it here, since a chat model that reranks is paid as well
                self._keep(made)
        self.progress(f"{self.card.title}: contexts", done, len(wanting))
        if unasked and not (leave and asks_to_recall(self.card)):
            raise unasked[0]

    def answer(self) -> None:
        """The answers that are still to come."""
        answerer = self.answerer
        todo = self._open("answer")
        if answerer is None or not todo:
            return
        self.workbench.embedder.hold([row.question.text for row in todo])

        def work(row: ResultRow) -> None:
            place = self._source(row.conversation_id)
            contestant, _ = place.contestant(row.question)
            answer = answerer.answer(row.question.query, contestant.context, contestant.turns, row.conversation_id)
            if self.ask and self.patience.ends(answer.failure) and answer.failure is not None:
                raise ChatFailure(answer.failure.kind, answer.failure.sentence)
            made = scored(row.question, contestant, answer, None)
            self._keep(
                [
                    replace(
                        place.as_sent(row, contestant, answer.dropped),
                        answer=answer,
                        verdict=None,
                        official_f1=made.official_f1,
                        set_token_f1=made.set_token_f1,
                        reconstruction_seconds=self.timing.seconds(row, contestant.recall),
                    )
                ]
            )

        self._all("answers", todo, work, self.concurrency)

    def judge(self) -> None:
        """The verdicts that are still to come."""
        judge = self.judge_
        todo = self._open("verdict")
        if judge is None or not todo:
            return

        def work(row: ResultRow) -> None:
            assert row.answer is not None
            verdict = judge.judge(row.question, row.answer, row.conversation_id)
            if verdict.outcome == "failed" and (failure := self._why(row)) is not None:
                raise failure
            with self.store.writing():
                if verdict.outcome != "no answer":
                    self.store.save_verdict(row.conversation_id, row.question.index, row.answer.text, verdict)
                self._keep([replace(row, verdict=verdict)])
            if verdict.outcome != "failed":
                self.patience.ends(None)

        self._all("verdicts", todo, work, self.judge_concurrency)

    def _verdict_key(self, row: ResultRow) -> str:
        """What the verdict on a row's answer is kept under."""
        judge, answer = self.judge_, row.answer
        assert judge is not None
        assert answer is not None
        return judge.request(row.question, answer.text, row.conversation_id).key(judge.chat.name)

    def _why(self, row: ResultRow) -> ChatFailure | None:
        """Why a verdict could not be had, where it makes no sense to go on."""
        held = self.store.chat_failure(self._verdict_key(row))
        failure = as_failure(held) if held else None
        if failure is None or not self.ask or not self.patience.ends(failure):
            return None
        return ChatFailure(failure.kind, failure.sentence)

    # --- how it is done -------------------------------------------------------------------------------------------

    def _open(self, what: str) -> list[ResultRow]:
        order = {(key, question.index): place for place, (key, question) in enumerate(self.asked)}
        rows = [row for row in self.rows.values() if row.open(self.card) == what and row.key in order]
        return sorted(rows, key=lambda row: order[row.key])

    def _all(self, what: str, rows: Sequence[ResultRow], work: Callable[[ResultRow], None], at_once: int) -> None:
        """Work off the rows. At a stop the calls under way come to their end first, so that none is paid in vain."""

        def one(row: ResultRow) -> None:
            if self.halt is not None:
                return
            try:
                work(row)
            except Awaited as awaited:
                self.going.awaited.setdefault(self.run_id, []).append(awaited.request)
            except (Stopped, ChatFailure, BadSetting, BadInput) as end:
                self.halt = end

        name = f"{self.card.title}: {what}"
        self.progress(name, 0, len(rows))
        for done, _ in enumerate(in_order(one, rows, at_once), 1):
            self.progress(name, done, len(rows))
        if self.halt is not None:
            raise self.halt

    def _source(self, key: ConversationId) -> Source:
        """The contexts of a conversation; of the last few, since they are gone through one after the other."""
        found = self._sources.get(key)
        if found is None:
            entry = next(entry for entry in self.card.conversations if entry.conversation_id == key)
            purse = self.going.purse if self.ask and may_ask(self.card) else None
            found = source(self.workbench, self.card, entry, run_rerankers(self.workbench, self.card, entry, purse))
            self._sources = {**dict(list(self._sources.items())[-3:]), key: found}
        return found

    def _keep(self, rows: Sequence[ResultRow]) -> None:
        self.rows.update({row.key: row for row in rows})
        if rows:
            self.store.add_results(self.run_id, [record_of(row, self.card) for row in rows])

    def _keep_encoding(self, seconds: float) -> None:
        self.card = replace(self.card, encoding_seconds=seconds)
        self.store.save_run(self.run_id, RUN, as_json(self.card))


def _by_name_alone(_role: ModelRole, name: str) -> ModelSettings:
    """A model that is not asked needs neither address nor key."""
    return ModelSettings(name)


def _same(role: str, then: str, now: str, run_id: str) -> None:
    if then != now:
        raise BadInput(
            f"The prompt to {role} has changed since the run {run_id} began: {then} became {now}. Put it back "
            "(--prompts, CUEMEM_PROMPTS), or begin a new run."
        )
