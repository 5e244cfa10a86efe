"""What ``sweep`` tells: a row a setting for files, the frontier and the comparisons for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cuemem.commands.display import literal, table
from cuemem.commands.selection import Chosen
from cuemem.evaluation.frontier import contributions, fair, frontier, without_graph
from cuemem.evaluation.halves import Trial, halved, trials
from cuemem.evaluation.swept import Means, Swept
from cuemem.knobs import knobs_of
from cuemem.text import counted

_STEP = 1.25  # of the frontier, a setting is shown when it costs so much more than the one before


@dataclass
class Report:
    """The sweep of a dataset. ``rendered`` holds the mean exact tokens of the settings that were rendered."""

    dataset: str
    chosen: Chosen
    conversations: int
    swept: Swept
    means: Means
    asked: dict[str, tuple[int, ...]]
    by_category: bool
    seconds: float
    within: int | None = None
    rendered: dict[int, float] = field(default_factory=dict)

    @cached_property
    def places(self) -> list[int]:
        """The settings asked for, in the order of the grid."""
        settings = ((place, self.means.setting(place)) for place in range(self.means.size))
        return [
            place
            for place, setting in settings
            if all(setting[name] in values for name, values in self.asked.items())
        ]

    @cached_property
    def best(self) -> list[int]:
        """The frontier of the settings asked for."""
        places = self.places
        return [places[at] for at in frontier(self.means.tokens[places], self.means.recall[places])]

    @property
    def usual(self) -> list[int]:
        """The setting that suits the conversations, where it is in the grid."""
        place = self.means.place({name: getattr(self.chosen.method, name) for name in self.means.axes})
        return [] if place is None else [place]

    @cached_property
    def shown(self) -> list[int]:
        """The usual setting, then the frontier in steps that are worth a line."""
        lines: list[int] = []
        for place in self.best:
            if not lines or self.means.tokens[place] >= _STEP * self.means.tokens[lines[-1]]:
                lines.append(place)
        if self.best and self.best[-1] not in lines:
            lines.append(self.best[-1])
        return [*self.usual, *(place for place in lines if place not in self.usual)]

    @property
    def letters(self) -> dict[str, str]:
        """The knobs of the grid with their letters."""
        symbols = {knob.name: knob.symbol or knob.name for knob in knobs_of(self.chosen.method)}
        return {name: symbols[name] for name in self.means.axes}

    @cached_property
    def trials(self) -> tuple[tuple[str, Trial], ...]:
        """The best settings within the tokens asked for, of all and of those without a graph."""
        if self.within is None:
            return ()
        parts = halved(self.swept)
        rows = [("any setting", trial) for trial in trials(parts, "recall", self.within)]
        method = self.chosen.method
        if without_graph(self.means, method) is not None:
            alone = trials(parts, "recall", self.within, lambda means: without_graph(means, method))
            rows += [("anchors only", trial) for trial in alone]
        return tuple(rows)

    @property
    def document(self) -> dict[str, Any]:
        """What has no place in the rows, for machines."""
        return {
            "dataset": self.dataset,
            "conversations": self.conversations,
            "questions": self.means.questions,
            "settings": len(self.places),
            "seconds": round(self.seconds, 3),
            "tokens_are": "rendered" if self.means.rendered else "additive",
            "frontier": [self.means.setting(place) for place in self.best],
            "rendered": [
                {**self.means.setting(place), "additive": self.means.tokens[place].item(), "rendered": tokens}
                for place, tokens in self.rendered.items()
            ],
            "trials": [{"from": kind, "tuned": trial.tuned, "trial": trial} for kind, trial in self.trials],
        }


def rows_of(report: Report) -> Iterator[dict[str, Any]]:
    """A row a setting over all questions, then if asked for a row a setting and category."""
    best = set(report.best)
    groups = [("all", report.means)]
    if report.by_category:
        names = sorted({asked.category for asked in report.swept.asked})
        groups += [(name, report.swept.in_category(name).means()) for name in names]
    for category, means in groups:
        for place in report.places:
            setting = {report.letters[name]: value for name, value in means.setting(place).items()}
            yield {
                "dataset": report.dataset,
                "category": category,
                **setting,
                "questions": means.questions,
                **{name: float(means.measure(name)[place]) for name in ("recall", "any", "all")},
                "tokens": float(means.tokens[place]),
                "tokens_p95": float(means.tokens_p95[place]),
                "turns": float(means.turns[place]),
                "frontier": int(place in best) if category == "all" else None,
            }


def drawn(report: Report) -> list[Any]:
    """The frontier in steps, what the graph contributes, and the halves where they were asked for."""
    means, chosen = report.means, report.chosen
    work = f"{counted(len(report.places), 'setting')} × {counted(means.questions, 'question')}"
    head = f"{report.dataset}: {counted(report.conversations, 'conversation')}, {chosen.line}"
    counter = "as rendered" if means.rendered else "added up: turns and a header a session"
    parts: list[Any] = [
        literal(head, "bold"),
        f"{work} in {report.seconds:.2f} s. Tokens are {counter}.",
        _best(report),
    ]
    parts += [part for part in (_edges(report), _halves(report)) if part is not None]
    return [*parts, *_notes(report)]


def _best(report: Report) -> Any:
    means, control = report.means, without_graph(report.means, report.chosen.method)
    letters = report.letters
    lines = []
    for place in report.shown:
        rival = fair(means, control, means.tokens[place])
        fairly = None if rival is None else f"{means.recall[rival[0]]:.3f}{'*' if rival[1] else ''}"
        exact = f"{report.rendered[place]:,.0f}" if place in report.rendered else None
        lines.append(
            (
                "usual" if place in report.usual else "",
                *means.setting(place).values(),
                *(float(grid[place]) for grid in (means.recall, means.any, means.all)),
                *(f"{grid[place]:,.0f}" for grid in (means.tokens, means.tokens_p95)),
                *([exact] if report.rendered else []),
                *([] if control is None else [fairly]),
            )
        )
    columns = ["", *(f"{letter}>" for letter in letters.values()), "recall>", "any>", "all>", "tokens>", "p95>"]
    columns += ["exact>"] if report.rendered else []
    columns += [] if control is None else ["anchors>"]
    return table("The usual setting, and the frontier in steps", columns, lines)


def _edges(report: Report) -> Any | None:
    if not report.usual:
        return None
    gains = contributions(report.means, report.chosen.method, report.means.setting(report.usual[0]))
    words = {"alone": "added to anchors only", "last": "added to all else", "instead": "in place of edges"}
    lines = (
        (f"{report.letters[gain.knob]} = {gain.value}", words[gain.step], gain.gold, f"{gain.tokens:,.0f}",
         gain.per_hundred)
        for gain in gains
    )  # fmt: skip
    columns = ("step!", "", "gold turns>", "tokens>", "per 100>")
    return table("What it brings a question at the usual setting", columns, lines) if gains else None


def _halves(report: Report) -> Any | None:
    lines = (
        (
            kind,
            f"{trial.chosen_on} → {trial.reported_on}",
            "tuned" if trial.tuned else "held out",
            " ".join(f"{report.letters[name]}={value}" for name, value in trial.setting.items()),
            trial.recall,
            trial.all,
            f"{trial.tokens:,.0f}",
        )
        for kind, trial in report.trials
    )
    columns = ("from!", "chosen on → reported on!", "!", "setting!", "recall>", "all>", "tokens>")
    title = f"The best setting of at most {report.within:,} tokens, by recall" if report.within else ""
    return table(title, columns, lines) if report.trials else None


def _notes(report: Report) -> Sequence[str]:
    notes = []
    if report.chosen.method.without_graph() is not None:
        notes.append(
            "anchors: recall of the same method without its graph, more cues retrieved, at as many tokens or fewer; "
            "* where it could not spend as many."
        )
    if report.rendered:
        notes.append("exact: tokens of the rendered contexts, which have a mark at each gap beyond what is added up.")
    if report.within and not report.trials:
        notes.append("There are no two conversations to choose on one and report on the other.")
    return notes
