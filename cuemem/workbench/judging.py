"""The judge under test: the answers that it judged, and all that people and other judges said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cuemem.adapters.store import Store, VerdictRecord
from cuemem.adapters.store.verdicts import HUMAN, answer_key
from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.run import ResultRow
from cuemem.types import Answer, ConversationId, VerdictOutcome
from cuemem.workbench.runs.reading import Run

BLIND = "labelled blind"  # the reason that is kept with a label, so that it is told from one given with all in sight
AnswerName = tuple[ConversationId, int, str]


@dataclass(frozen=True, slots=True)
class Item:
    """An answer under test, and the run that it is of. The same answer of two runs is one."""

    run_id: str
    row: ResultRow
    answer: Answer

    @property
    def name(self) -> AnswerName:
        """What its verdicts are kept under."""
        return self.row.conversation_id, self.row.question.index, answer_key(self.answer.text)


def pool(runs: Sequence[Run]) -> tuple[Item, ...]:
    """The answers of these runs that can be judged: given, not empty, to a question with gold; each once."""
    items: dict[AnswerName, Item] = {}
    for run in runs:
        for row in run.rows:
            answer = row.answer
            if answer is not None and answer.failure is None and answer.text.strip() and has_gold(row.question):
                item = Item(run.run_id, row, answer)
                items.setdefault(item.name, item)
    return tuple(items[name] for name in sorted(items))


@dataclass(frozen=True, slots=True)
class Said:
    """What the store holds of the answers of a pool. Of a judge with several prompts the newest verdict stands."""

    people: Mapping[AnswerName, VerdictRecord]
    judges: Mapping[tuple[str, str], Mapping[AnswerName, VerdictRecord]]  # by model and protocol
    repeated: Mapping[tuple[str, str, str], Mapping[AnswerName, list[VerdictRecord]]]  # and prompt


def said(store: Store, items: Sequence[Item]) -> Said:
    """All that people and models said of these answers."""
    wanted = {item.name for item in items}
    people: dict[AnswerName, VerdictRecord] = {}
    judges: dict[tuple[str, str], dict[AnswerName, VerdictRecord]] = {}
    repeated: dict[tuple[str, str, str], dict[AnswerName, list[VerdictRecord]]] = {}
    for key in dict.fromkeys(item.row.conversation_id for item in items):
        for it in store.verdicts(key):  # in the order of judging, so that the newest stands
            name = (it.conversation_id, it.question_index, it.answer_key)
            if name in wanted:
                kept = people if it.judge == HUMAN else judges.setdefault((it.judge, it.protocol), {})
                kept[name] = it
        for it in store.repeated(key):
            name = (it.conversation_id, it.question_index, it.answer_key)
            if name in wanted:
                by_judge = repeated.setdefault((it.judge, it.protocol, it.prompt_hash), {})
                by_judge.setdefault(name, []).append(it)
    return Said(people, judges, repeated)


def label(store: Store, item: Item, correct: bool | None) -> None:
    """Keep what a person says of an answer without having seen the verdict; None takes it back."""
    key, index, _ = item.name
    if correct is None:
        store.remove_human_verdict(key, index, item.answer.text)
    else:
        store.save_human_verdict(key, index, item.answer.text, correct, BLIND)


def rounds_of(item: Item, found: Said) -> list[VerdictOutcome]:
    """The run's verdict on an answer and the repeated ones of the very same judge, without calls that failed."""
    first = item.row.verdict
    if first is None:
        return []
    judge = (first.model, first.protocol, first.prompt.hash if first.prompt else "")
    more = found.repeated.get(judge, {}).get(item.name, ())
    return [outcome for outcome in (first.outcome, *(it.outcome for it in more)) if outcome != "failed"]
