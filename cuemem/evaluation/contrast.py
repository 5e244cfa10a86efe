"""Two runs against each other, question by question: what B fixed, what it broke, whether that is more than noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cuemem.evaluation.metrics import mean, scored_apart
from cuemem.evaluation.retrieval import category_label
from cuemem.evaluation.run import QuestionSet, ResultRow, RunCard
from cuemem.evaluation.statistics import Flips, Interval, bootstrap_difference
from cuemem.evaluation.summary import ALL, APART, Costs, costs

Kind = Literal["both right", "fixed", "broken", "both wrong"]
KINDS: tuple[Kind, ...] = ("fixed", "broken", "both right", "both wrong")
Measure = Literal["verdicts", "all evidence"]
_SEED = 20610


@dataclass(frozen=True, slots=True)
class Pair:
    """One question in both runs, and what became of it from A to B."""

    kind: Kind
    before: ResultRow
    after: ResultRow

    @property
    def category(self) -> str:
        """The category with its number and name."""
        return category_label(self.before.question)

    @property
    def stages(self) -> tuple[str, ...]:
        """Where gold turns were lost in either run, each stage once."""
        return tuple(dict.fromkeys([*self.after.lost.values(), *self.before.lost.values()]))


@dataclass(frozen=True, slots=True)
class FlipLine:
    """The four-way table of one category, or of all."""

    name: str
    flips: Flips


@dataclass(frozen=True, slots=True)
class Contrast:
    """Run B (after) against run A (before), over the questions that both have.

    ``measure`` says what right means: the judge's verdict, or in runs of retrieval alone that all gold turns are in
    the context. ``unlike`` are sentences for what keeps the runs from being compared fairly, ``varied`` for what was
    to be compared. Differences are B − A.
    """

    measure: Measure
    pairs: tuple[Pair, ...]
    table: tuple[FlipLine, ...]
    only_before: int
    only_after: int
    recall: Interval | None
    conversations: int
    costs: tuple[Costs, Costs]
    unlike: tuple[str, ...]
    varied: tuple[str, ...]

    @property
    def headline(self) -> Flips:
        """The four-way table over all answerable questions."""
        return next((line.flips for line in self.table if line.name == ALL), Flips(0, 0, 0, 0))


def contrast(before: tuple[RunCard, Sequence[ResultRow]], after: tuple[RunCard, Sequence[ResultRow]]) -> Contrast:
    """Compare two runs question by question. Questions that one of them has no result of are counted, not compared.

    Between copies of a dataset that are not the same file, a question is known by its conversation's name, its place
    and its text.
    """
    (card_a, rows_a), (card_b, rows_b) = before, after
    judged = card_a.judging is not None and card_b.judging is not None
    measure: Measure = "verdicts" if judged else "all evidence"
    same_files = {file.sha256 for file in card_a.files} & {file.sha256 for file in card_b.files}
    key = _by_id if same_files else _by_name
    by_key = {key(row): row for row in rows_b if _right(row, measure) is not None}
    usable = [row for row in rows_a if _right(row, measure) is not None]
    pairs = tuple(_pair(row, by_key[key(row)], measure) for row in usable if key(row) in by_key)
    both = [(pair.before, pair.after) for pair in pairs]
    recall, conversations = _recall_difference(both)
    return Contrast(
        measure=measure,
        pairs=pairs,
        table=_table(pairs),
        only_before=len(usable) - len(pairs),
        only_after=len(by_key) - len(pairs),
        recall=recall,
        conversations=conversations,
        costs=(costs([row for row, _ in both]), costs([row for _, row in both])),
        unlike=unlike(card_a, card_b),
        varied=varied(card_a, card_b),
    )


def _by_id(row: ResultRow) -> tuple[object, ...]:
    return row.key


def _by_name(row: ResultRow) -> tuple[object, ...]:
    return row.conversation, row.question.index, row.question.text


def _right(row: ResultRow, measure: Measure) -> bool | None:
    """Whether a question came out right, None where that cannot be said (yet)."""
    if measure == "verdicts":
        return None if row.verdict is None else row.verdict.correct
    found = row.retrieval.turn.all
    return None if found is None else found == 1.0


def _pair(before: ResultRow, after: ResultRow, measure: Measure) -> Pair:
    kinds: dict[tuple[bool | None, bool | None], Kind] = {
        (True, True): "both right",
        (False, True): "fixed",
        (True, False): "broken",
        (False, False): "both wrong",
    }
    return Pair(kinds[_right(before, measure), _right(after, measure)], before, after)


def _table(pairs: Sequence[Pair]) -> tuple[FlipLine, ...]:
    groups: dict[tuple[bool, int, str], list[Pair]] = {}
    for pair in pairs:
        question = pair.before.question
        key = (scored_apart(question), question.category_number or 0, pair.category)
        groups.setdefault(key, []).append(pair)
    headline = [pair for pair in pairs if not scored_apart(pair.before.question)]
    found = [FlipLine(ALL, _flips(headline))] if headline else []
    return (*found, *(FlipLine(f"{APART * key[0]}{key[2]}", _flips(groups[key])) for key in sorted(groups)))


def _flips(pairs: Sequence[Pair]) -> Flips:
    counts = Counter(pair.kind for pair in pairs)
    return Flips(counts["both right"], counts["fixed"], counts["broken"], counts["both wrong"])


def _recall_difference(both: Sequence[tuple[ResultRow, ResultRow]]) -> tuple[Interval | None, int]:
    """B − A in evidence recall over the answerable questions, paired, resampling conversations; and how many."""
    groups: dict[str, tuple[list[float], list[float]]] = {}
    for before, after in both:
        one, other = before.retrieval.turn.recall, after.retrieval.turn.recall
        if one is not None and other is not None and not scored_apart(before.question):
            mine = groups.setdefault(before.conversation_id, ([], []))
            mine[0].append(one)
            mine[1].append(other)
    return bootstrap_difference(list(groups.values()), seed=_SEED), len(groups)


def unlike(one: RunCard, other: RunCard) -> tuple[str, ...]:
    """What keeps two runs from being compared fairly, a sentence each."""
    alike = {file.sha256 for file in one.files} == {file.sha256 for file in other.files}  # by whatever name
    said = {
        "datasets": ("", "") if alike else (_files(one), _files(other)),
        "question sets": (_questions(one), _questions(other)),
        "answering models": (_of_answer(one, "model"), _of_answer(other, "model")),
        "answer prompts": (_of_answer(one, "prompt"), _of_answer(other, "prompt")),
        "judges": (_judge(one), _judge(other)),
    }
    found = [
        f"The {what} differ: {left or 'none'} against {right or 'none'}."
        for what, (left, right) in said.items()
        if left != right
    ]
    if one.questions.hash != other.questions.hash and _questions(one) == _questions(other):
        found.append("The question sets differ, though both have as many questions.")
    return tuple(found)


def varied(one: RunCard, other: RunCard) -> tuple[str, ...]:
    """What was chosen to be different, a sentence each."""
    said = {
        "Method": (one.title, other.title),
        "Settings": (one.settings_line, other.settings_line),
        "Cues": (_cues(one), _cues(other)),
        "Embedding model": (one.embedding_model, other.embedding_model),
        "Code": (one.code.commit or one.code.version, other.code.commit or other.code.version),
    }
    return tuple(f"{what}: {left} → {right}." for what, (left, right) in said.items() if left != right)


def _files(card: RunCard) -> str:
    return ", ".join(f"{file.name} (sha256 {file.sha256[:12]})" for file in card.files)


def _questions(card: RunCard) -> str:
    asked = card.questions
    chosen = [] if asked.limit is None else [limited(asked)]
    chosen += [f"of {', '.join(card.questions.categories)}"] if card.questions.categories else []
    return (
        f"{card.questions.count:,} questions of {len(card.conversations):,} conversations{', '.join(['', *chosen])}"
    )


def limited(asked: QuestionSet) -> str:
    """How many questions at most, and how they were chosen."""
    how = "the first of each conversation" if asked.seed is None else f"a sample by seed {asked.seed}"
    return f"at most {asked.limit:,}, {how}"


def _of_answer(card: RunCard, what: str) -> str:
    return str(getattr(card.answering, what)) if card.answering else ""


def _judge(card: RunCard) -> str:
    judging = card.judging
    return f"{judging.model}, {judging.protocol}, {', '.join(map(str, judging.prompts))}" if judging else ""


def _cues(card: RunCard) -> str:
    hashes = sorted({entry.cue_set.content_hash or "" for entry in card.conversations if entry.cue_set})
    return ", ".join(found[:12] for found in hashes[:3]) + (" …" if len(hashes) > 3 else "") or "none"


def mean_recalls(of: Contrast) -> tuple[float | None, float | None]:
    """The evidence recall of A and of B over the answerable questions that both have."""
    rows = [(pair.before, pair.after) for pair in of.pairs if not scored_apart(pair.before.question)]
    return (
        mean(before.retrieval.turn.recall for before, _ in rows),
        mean(after.retrieval.turn.recall for _, after in rows),
    )
