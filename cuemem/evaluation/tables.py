"""Result tables as plain values, drawn alike in a terminal, on a page, in Markdown and in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cuemem.evaluation.published import SOURCE, published
from cuemem.evaluation.run import RunCard
from cuemem.evaluation.statistics import Interval
from cuemem.evaluation.summary import Line, Mean, RunSummary
from cuemem.text import counted, money

NOTHING = "–"
INTERVAL = "95\u00a0%"
OFFICIAL_SHORT, SET_SHORT, SUBSTRING_SHORT = (
    "LoCoMo F1",
    "set F1",
    "substring",
)  # of cuemem.evaluation.f1: the official one, that of later papers, and FactConsolidation's own
_COSTS = (
    "Tokens are the answering model's own count, a mean over questions; prices are for the whole run, replies from "
    "the store at what they cost the first time."
)


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of texts. The first ``left`` columns are names, the others numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Shown:
    """A run to be shown beside others: its name there, its card, its figures, and whether it is at its end."""

    label: str
    run_id: str
    card: RunCard
    summary: RunSummary
    state: str = "done"


def labels(cards: Sequence[RunCard]) -> list[str]:
    """Names that tell the runs over one dataset apart: the title, with what differs where several share one."""
    names = [card.title for card in cards]
    for more in (_knobs, _models, _run_id):
        alike: dict[tuple[str, str], list[RunCard]] = {}
        for name, card in zip(names, cards, strict=True):
            alike.setdefault((card.dataset, name), []).append(card)
        found = [alike[card.dataset, name] for name, card in zip(names, cards, strict=True)]
        names = [
            " · ".join(filter(None, (name, more(card, others)))) if len(others) > 1 else name
            for name, card, others in zip(names, cards, found, strict=True)
        ]
    return names


def _knobs(card: RunCard, alike: Sequence[RunCard]) -> str:
    """The settings that are not the same in all of them."""
    parts = [other.settings_line.split(" · ") for other in alike]
    return " ".join(part for part in card.settings_line.split(" · ") if not all(part in other for other in parts))


def _models(card: RunCard, _alike: Sequence[RunCard] = ()) -> str:
    judge = f", judge {card.judging.protocol}" if card.judging else ""
    return f"{card.answering.model}{judge}" if card.answering else "no model"


def _run_id(card: RunCard, _alike: Sequence[RunCard]) -> str:
    return card.run_id


def answers_overview(runs: Sequence[Shown], *, unflagged: bool = False) -> Table:
    """A row a run, over all answerable questions: accuracy and token F1."""
    lines = [_headline(run, unflagged=unflagged) for run in runs]
    scores = _scores([line for line in lines if line])
    columns = ("run", "n", "accuracy %", INTERVAL, *scores)
    rows = []
    for run, line in zip(runs, lines, strict=True):
        if line is None:
            rows.append((run.label, "0", *[NOTHING] * (len(columns) - 2)))
        else:
            rows.append((run.label, f"{line.judged or line.questions:,}", *_accuracy(line, scores)))
    return Table(f"Answers{_over(runs, unflagged=unflagged)}", columns, tuple(rows), notes=_notes(runs))


def evidence_overview(runs: Sequence[Shown], *, unflagged: bool = False) -> Table:
    """A row a run, over all answerable questions: the gold in the context, and its size."""
    rows = []
    for run in runs:
        line = _headline(run, unflagged=unflagged)
        found = (NOTHING,) * 7 if line is None else (*_found(line), whole(line.tokens_p95))
        rows.append((run.label, *found))
    notes = () if any(run.card.answering for run in runs) else _notes(runs)
    if any(len(run.card.conversations) == 1 for run in runs):
        notes = (*notes, "No interval for recall where there is one conversation: it resamples conversations.")
    title = f"Evidence{_over(runs, unflagged=unflagged)}"
    return Table(title, ("run", "n", "recall", INTERVAL, "any", "all", "tokens", "p95"), tuple(rows), notes=notes)


def _over(runs: Sequence[Shown], *, unflagged: bool) -> str:
    flagged = max((run.summary.flagged for run in runs), default=0)
    without = f", without the {flagged:,} whose gold is doubted" if unflagged else ""
    return f", all answerable questions{without}"


def _scores(lines: Sequence[Line]) -> tuple[str, ...]:
    """The scores that need no judge; the substring match only where a dataset has lists of accepted answers."""
    accepted = any(line.substring_match is not None for line in lines)
    return (OFFICIAL_SHORT, SET_SHORT, *([SUBSTRING_SHORT] if accepted else []))


def _accuracy(line: Line, scores: Sequence[str]) -> tuple[str, ...]:
    values = {
        OFFICIAL_SHORT: line.official_f1,
        SET_SHORT: line.set_token_f1,
        SUBSTRING_SHORT: line.substring_match,
    }
    return (percent(line.accuracy), bounds(line.accuracy, 100, 1), *(decimal(values[name]) for name in scores))


def _found(line: Line) -> tuple[str, ...]:
    return (
        f"{line.with_gold:,}",
        mean_of(line.recall),
        bounds(line.recall, 1, 3),
        mean_of(line.any),
        mean_of(line.all),
        whole(line.tokens),
    )


def efficiency(runs: Sequence[Shown]) -> Table:
    """Table 3 of the paper: what a question costs, beside the accuracy it buys."""
    columns = ("run", "tokens in", "out", "recon. s", "infer. s", "accuracy %", "answers", "judge")
    rows = []
    for run in runs:
        it, line = run.summary.costs, run.summary.headline
        rows.append(
            (
                run.label,
                whole(it.tokens_in),
                whole(it.tokens_out),
                decimal(it.reconstruction_seconds),
                decimal(it.inference_seconds, 2),
                percent(line.accuracy if line else None),
                money(it.answer_cost),
                money(it.judge_cost),
            )
        )
    notes = [_COSTS]
    if any(run.summary.costs.reconstruction_seconds is not None for run in runs):
        notes.append("Recon. is query encoding, cue retrieval, expansion and rendering.")
    untimed = sum(run.summary.costs.answers - run.summary.costs.timed for run in runs)
    if untimed:
        notes.append(f"{counted(untimed, 'answer')} without a time (failed, or from a batch file) left out of infer.")
    return Table("What a question costs (Table 3)", columns, tuple(rows), notes=tuple(notes))


def by_category(run: Shown, *, unflagged: bool = False) -> Table:
    """A row a category: accuracy with n and interval, token F1, and what counts as wrong without being an error."""
    lines = _lines(run, unflagged=unflagged)
    scores = _scores(lines)
    columns = ("questions", "n", "accuracy %", INTERVAL, *scores, "no verdict")
    rows = tuple(
        (line.name, f"{line.judged or line.questions:,}", *_accuracy(line, scores), _unjudged(line)) for line in lines
    )
    return Table(f"{run.label}: answers", columns, rows)


def _unjudged(line: Line) -> str:
    """What counts in the denominator and is not correct, though nobody called it wrong."""
    counts = {
        "unparsed": line.unparsed,
        "judge failed": line.failed,
        "answer failed": line.no_answer,
        "empty": line.empty,
    }
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or NOTHING


def evidence(run: Shown, *, unflagged: bool = False) -> Table:
    """A row a category: the gold in the context, with intervals over conversations."""
    columns = ("questions", "n", "recall", INTERVAL, "any", "all", "tokens", "nDCG@10")
    rows = tuple((line.name, *_found(line), decimal(line.ndcg_at_10)) for line in _lines(run, unflagged=unflagged))
    lost = {stage: count for stage, count in run.summary.losses.items() if stage != "in context"}
    where = ", ".join(f"{stage} {count:,}" for stage, count in lost.items())
    notes = (f"Gold turns of answerable questions lost: {where}.",) if where else ()
    return Table(f"{run.label}: evidence", columns, rows, notes=notes)


def side_by_side(runs: Sequence[Shown], *, unflagged: bool = False, lettered: bool = False) -> Table:
    """A row a category, a column a run: the accuracy, or without verdicts the evidence recall.

    ``lettered``: the columns are called A, B, C, … in the order of the runs, where names would be too long.
    """
    columns = [letter(place) for place in range(len(runs))] if lettered else [run.label for run in runs]
    judged = any(run.card.judging for run in runs)
    found = [{line.name: line for line in _lines(run, unflagged=unflagged)} for run in runs]
    names = list(dict.fromkeys(name for lines in found for name in lines))
    names.sort(key=lambda name: (name.startswith("apart"), not name.startswith("all"), name))
    rows = tuple((name, *(_cell(lines.get(name), judged=judged) for lines in found)) for name in names)
    title = "Accuracy % by category (n)" if judged else "Evidence recall by category (n)"
    return Table(title, ("questions", *columns), rows)


def letter(place: int) -> str:
    """A, B, …, Z, then numbers: what the run at this place is called in a narrow table."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def _cell(line: Line | None, *, judged: bool) -> str:
    if line is None:
        return NOTHING
    if judged:
        return f"{percent(line.accuracy)} ({line.judged:,})" if line.judged else NOTHING
    return f"{mean_of(line.recall)} ({line.with_gold:,})" if line.with_gold else NOTHING


def paper(dataset: str) -> Table | None:
    """What the paper states of a dataset; None for another one."""
    figures = published(dataset)
    if not figures:
        return None
    rows = tuple((it.section, it.what, f"{it.value}{' *' if it.derived else ''}") for it in figures)
    notes = ("* The difference of two figures that it states.",) if any(it.derived for it in figures) else ()
    return Table(f"Beside it, {SOURCE}", ("section", "what", "figure"), rows, left=2, notes=notes)


def _notes(runs: Sequence[Shown]) -> tuple[str, ...]:
    """What has to be known to read the numbers."""
    notes = [f"{run.label}: {run.state}, so the figures are of what is there." for run in runs if run.state != "done"]
    tuned = [run.label for run in runs if run.card.tuned]
    if tuned:
        notes.append(f"Tuned on these very questions, so too good: {', '.join(tuned)}.")
    setups = {(_models(run.card)) for run in runs if run.card.answering}
    notes += [f"Answered by {setup}." for setup in sorted(setups)]
    return tuple(notes)


def _lines(run: Shown, *, unflagged: bool) -> tuple[Line, ...]:
    return run.summary.unflagged if unflagged else run.summary.everything


def _headline(run: Shown, *, unflagged: bool) -> Line | None:
    return next((line for line in _lines(run, unflagged=unflagged) if not line.apart), None)


def percent(value: Interval | None) -> str:
    """A share in percent."""
    return NOTHING if value is None else f"{100 * value.estimate:.1f}"


def mean_of(value: Mean | None) -> str:
    """A mean that may not be there."""
    return decimal(None if value is None else value.value)


def bounds(value: Interval | Mean | None, scale: float, digits: int) -> str:
    """The ends of an interval."""
    if value is None or value.low is None or value.high is None:
        return NOTHING
    return f"{scale * value.low:.{digits}f} – {scale * value.high:.{digits}f}"


def decimal(value: float | None, digits: int = 3) -> str:
    """A number with so many decimals."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def whole(value: float | None) -> str:
    """A number without decimals."""
    return NOTHING if value is None else f"{value:,.0f}"
