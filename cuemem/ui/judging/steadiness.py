"""The same judge on the same answers again: how many verdicts are a matter of luck."""

from __future__ import annotations

import streamlit as st

from cuemem.evaluation.judges import stability
from cuemem.evaluation.tables import Table
from cuemem.ui import markup
from cuemem.ui.data import parts
from cuemem.ui.judging import drawn, held
from cuemem.ui.judging.asking import ask
from cuemem.ui.judging.drawn import Voice
from cuemem.ui.judging.held import Pool
from cuemem.ui.markup import html
from cuemem.ui.runs import drawn as figures
from cuemem.workbench.judging import Item, rounds_of
from cuemem.workbench.rejudging import Asking

_ROUNDS, _MOST_ROUNDS = 2, 20


def steadiness() -> None:
    """Ask the run's judge again, and show how far it says the same."""
    of = held.chosen()
    if of is None:
        return
    if of.judging is None:
        markup.notice("The run was not judged, so there is no verdict to repeat. Judge its answers first.")
        st.button("Judge them", key="judge.first", type="primary", on_click=parts.go, args=("protocols",))
        return
    items = [it for it in held.items(of) if it.row.verdict]
    held.rest_of_run(of)
    if not items:
        markup.notice("No verdict has come yet that could be repeated. Let the run go on, on the Runs page.")
        return
    markup.show(
        html(
            '<p class="cm-quiet">Judged {protocol} by {model}, temperature 0. Each repetition is asked anew, not '
            "taken from the store, and kept apart: the run's accuracy does not change by it.</p>",
            protocol=of.judging.protocol,
            model=of.judging.model,
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = held.ask_number(
            "answers", "Answers", min(held.SIZE, len(items)), len(items), "How many, drawn at random."
        )
        rounds = held.ask_number("rounds", "Times more", _ROUNDS, _MOST_ROUNDS, "Beside the verdict that there is.")
    asking = Asking(of.run_ids, of.judging.protocol, size, held.number("seed", held.SEED, 9_999_999), rounds)
    ask(of, asking, f"Judging {size:,} answers again, {rounds:,} times")
    _shown(of, items)


def _shown(of: Pool, items: list[Item]) -> None:
    found = held.known(of)
    said = [rounds_of(it, found) for it in items]
    it = stability(said)
    if not it.answers:
        markup.notice("No answer was judged more than once yet.")
        return
    low, high = it.accuracies or (0.0, 0.0)
    rows = (
        ("answers judged more than once", f"{it.answers:,}"),
        ("verdicts on one answer, at most", f"{it.rounds:,}"),
        ("every verdict the same (95 %)", drawn.share(it.unchanged)),
        ("two verdicts on one answer agree", f"{100 * (it.pairwise or 0):.1f} %"),
        ("accuracy by round, least to greatest", f"{100 * low:.1f}–{100 * high:.1f} %"),
    )
    figures.table(
        Table("How steady the judge is", ("", "value"), rows, 1, ("Failed calls are no verdicts, and are left out.",))
    )
    numbers = range(max(len(said[place]) for place in it.unsteady)) if it.unsteady else range(0)
    voices = {
        ("First" if number == 0 else f"Again {number}"): [
            Voice(each[number]) if number < len(each) else Voice("failed", "not judged") for each in said
        ]
        for number in numbers
    }
    drawn.disagreements(items, voices, it.unsteady, "Judged now right, now wrong", "judge.unsteady")
