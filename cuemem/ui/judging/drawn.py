"""Two judges against each other, drawn: figures, confusion table, and the answers that they disagree on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from cuemem.evaluation.judges import OUTCOMES, Agreement
from cuemem.evaluation.statistics import Interval
from cuemem.evaluation.tables import Table
from cuemem.types import VerdictOutcome
from cuemem.ui import markup, state, tables
from cuemem.ui.cues.picking import pick_table
from cuemem.ui.markup import html, join
from cuemem.ui.runs import drawn as figures
from cuemem.ui.runs import held as runs
from cuemem.ui.runs.pair import found_words, run_links
from cuemem.workbench.judging import Item
from cuemem.workbench.reviewing import gold_words

_COLUMNS = ("conversation", "question", "asked", "reply", "said")


@dataclass(frozen=True, slots=True)
class Voice:
    """What one judge said of an answer, and why."""

    outcome: VerdictOutcome
    reason: str = ""


def share(it: Interval | None) -> str:
    """A share with its interval, in per cent."""
    return "–" if it is None else f"{100 * it.estimate:.1f} % ({100 * it.low:.1f}–{100 * it.high:.1f})"


def kappa_words(it: Agreement) -> str:
    """Cohen's kappa; a dash where one label is all there is."""
    return "–" if it.kappa is None else f"{it.kappa:.2f}"


def agreements(title: str, rows: Mapping[str, Agreement], one: str, notes: Sequence[str] = ()) -> None:
    """A row for each judge that ``one`` is compared with."""
    made = []
    for name, it in rows.items():
        shares = it.accuracies
        right = ["–", "–"] if shares is None else [f"{100 * each:.1f} %" for each in shares]
        made.append((name, f"{it.n:,}", share(it.agreed), kappa_words(it), *right))
    columns = ("judge", "n", "agreement (95 %)", "Cohen's κ", f"right by {one}", "right by this judge")
    undefined = any(it.n and it.kappa is None for it in rows.values())
    more = ["κ is not defined where both give one label only."] if undefined else []
    figures.table(Table(title, columns, tuple(made), 1, (*notes, *more)))


def confusion(it: Agreement, one: str, other: str) -> None:
    """The confusion table by outcome."""
    ones = [name for name in OUTCOMES if any(said == name for said, _ in it.table)]
    others = [name for name in OUTCOMES if any(said == name for _, said in it.table)]
    rows = tuple((f"{one}: {name}", *(f"{it.table.get((name, said), 0):,}" for said in others)) for name in ones)
    figures.table(Table("Confusion table", ("", *(f"{other}: {name}" for name in others)), rows, 1, ()))


def disagreements(
    items: Sequence[Item], voices: Mapping[str, Sequence[Voice]], places: Sequence[int], title: str, key: str
) -> None:
    """The answers at these places as a table; the chosen one with all that was said of it, and links."""
    st.subheader(title, anchor=False)
    if not places:
        markup.notice("There is none.")
        return
    found = [items[place] for place in places]
    names = [f"{it.name[0]}:{it.name[1]}:{it.name[2]}" for it in found]
    chosen = state.current().extra("answer")
    at = names.index(chosen) if chosen in names else None
    rows = [
        {
            "conversation": it.row.conversation,
            "question": it.row.question.index,
            "asked": it.row.question.text,
            "reply": it.answer.text,
            "said": "; ".join(f"{name}: {said[place].outcome}" for name, said in voices.items()),
        }
        for it, place in zip(found, places, strict=True)
    ]
    pick_table(
        key,
        tables.frame(rows, _COLUMNS),
        at,
        lambda place: state.note("answer", "" if place is None else names[place]),
        height=tables.height(min(len(rows), 8)),
        alt="Answers that the judges disagree on; choose one to see why",
        columns={"asked": st.column_config.TextColumn(width="medium")},
    )
    tables.csv_button(rows, _COLUMNS, key.replace(".", "-"), f"{key}.csv")
    if at is None:
        st.caption("Choose an answer to see the reasons, and the way to Trace and Answers.")
        return
    _one(found[at], {name: said[places[at]] for name, said in voices.items()})


def _one(item: Item, said: Mapping[str, Voice]) -> None:
    run = runs.run(item.run_id)
    facts = {
        "Gold answer": gold_words(item.row),
        "Reply": item.answer.text,
        **{name: f"{voice.outcome}. {voice.reason}".rstrip(". ") for name, voice in said.items()},
        "Gold found": found_words(item.row),
        "Run": runs.names()[item.run_id],
    }
    lines = [
        html('<dt>{name}</dt><dd dir="auto">{words}</dd>', name=name, words=words) for name, words in facts.items()
    ]
    with st.container(border=True, key="cm-judge-apart"):
        markup.show(
            html(
                '<p class="cmr-asked" dir="auto">{text}</p><dl class="cmr-pair">{lines}</dl>',
                text=item.row.question.text,
                lines=join(lines),
            )
        )
        run_links(item.row, run, "the run")
