"""After the steps: what the graph adds at equal tokens, and what cues add over whole turns, for better or worse."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from cuemem.evaluation.curves import Point, within
from cuemem.evaluation.ladder import Outcome
from cuemem.text import counted
from cuemem.ui import state
from cuemem.ui.learn import comparison, facts, lecture, words
from cuemem.ui.learn.comparison import Curves
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.learn.pieces import paragraph
from cuemem.ui.markup import Html, html, join, show
from cuemem.viz.tradeoff import Line, tradeoff

_SHOWN = (1, 2, 3, 5, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60)


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured once at w = 2, k = 1, m = 10, and with anchors only for as many tokens. Tests repeat it."""

    cues: str
    graph: float
    anchors: float


TRIPLES = Measured("imported", 0.913, 0.807)
SENTENCES = Measured("sentences", 0.770, 0.850)
REAL = Measured("imported", 0.846, 0.896)  # LoCoMo's conv-26, whose cues a language model wrote


IN_GENERAL = (
    "Two things are worth keeping apart. Cues against whole turns: one fact is easier to meet than a message that "
    "says five, so cues usually find more for the same tokens. The graph against more cues: edges help where a turn "
    "makes no sense without its neighbours or says the same in other words; elsewhere they spend tokens on turns "
    "that are merely near. Of which there is more, each conversation has to show."
)


def limits(told: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """This question, then all questions of the conversation."""
    with left:
        st.markdown("**This question, at the same tokens**")
        with st.spinner("Comparing; the turns have to be embedded once …"):
            rows = _rows(told)
        show(rows)
        show(
            paragraph(
                "Each of the others takes its turns in order of rank until the next one would exceed the tokens of "
                f"{told.scene.method.title}.",
                "cml-quiet",
            )
        )
    with right:
        show(paragraph(IN_GENERAL))
    st.markdown("**All questions of this conversation**")
    if told.scene.view.extra("all") == "on":
        with st.spinner("Comparing over all questions …"):
            curves = comparison.curves(told)
        _all(told, curves)
    else:
        st.button(
            "Compare over all questions",
            key="learn.all",
            type="primary",
            icon=":material/query_stats:",
            on_click=_compare,
        )
        show(paragraph("Takes a few seconds the first time, half a minute in a long conversation.", "cml-quiet"))
    if told.scene.view.conversation == lecture.story():
        show(paragraph(sample_says()))


def _compare() -> None:
    state.change(extras=state.current().with_extra("all", "on").extras)


def _rows(told: Lecture) -> Html:
    method = told.scene.method
    own = f"{method.title}, w = {method.window}, k = {method.neighbours}, m = {method.top_cues}"
    rows: list[tuple[str, Outcome]] = [(own, facts.here(told))]
    rivals = comparison.rivals(told)
    rows += [(f"{it.name}: m = {it.value}", it.outcome) for it in rivals]
    history = Outcome(len(told.memory.turns), comparison.history_tokens(told), told.gold)
    rows.append(("The whole history", history))
    cells = [
        html(
            '<tr class="{look}"><th scope="row">{name}</th><td class="cml-number">{turns:,}</td>'
            '<td class="cml-number">{tokens:,}</td><td>{found}</td></tr>',
            look="cml-now" if place == 0 else "",
            name=name,
            turns=outcome.turns,
            tokens=outcome.tokens,
            found=words.found(outcome, len(told.gold)),
        )
        for place, (name, outcome) in enumerate(rows)
    ]
    return html(
        '<table class="cml-table"><thead><tr><th scope="col">what chooses the turns</th>'
        '<th scope="col" class="cml-number">turns</th><th scope="col" class="cml-number">tokens</th>'
        '<th scope="col">found</th></tr></thead><tbody>{cells}</tbody></table>',
        cells=join(cells),
    )


def _all(told: Lecture, curves: Curves | None) -> None:
    if curves is None:
        show(paragraph("No question of this conversation has a gold turn, so nothing can be counted."))
        return
    method = told.scene.method
    here = next(point for point in curves.graph if point.value == method.top_cues)
    graph = f"with the graph (w = {method.window}, k = {method.neighbours})"
    lines = [
        _line(graph, curves.graph, method.top_cues),
        _line("anchors only", curves.anchors),
        _line("whole turns, no cues", curves.turns),
    ]
    most = 1.15 * max(here.tokens, *(points[-1].tokens for points in (curves.anchors, curves.turns)))
    st.plotly_chart(
        tradeoff(lines, (here.tokens, here.recall, f"these settings, m = {method.top_cues}"), most),
        key="learn.tradeoff",
        config={"displayModeBar": False},
    )
    largest = curves.anchors[-1].value
    for rival, name in ((curves.anchors, "Anchors only"), (curves.turns, "Whole turns")):
        show(paragraph(words.verdict(here, within(rival, here.tokens), largest, name)))
    show(
        paragraph(
            f"Means over {counted(curves.questions, 'answerable question')}, without a budget. Found is the share of "
            "a question's gold turns in the context. Tokens are summed turn by turn. Along each line m grows.",
            "cml-quiet",
        )
    )


def _line(name: str, points: tuple[Point, ...], *also: int) -> Line:
    shown = {*_SHOWN, *also}
    return Line(name, [(it.tokens, it.recall, f"{name}, m = {it.value}") for it in points if it.value in shown])


def sample_says() -> str:
    """What the bundled conversation proves, and what it does not."""
    return (
        "The bundled conversation shows both outcomes. With the triples written for it (memory “imported cues”) the "
        f"graph finds {TRIPLES.graph:.1%} and anchors only {TRIPLES.anchors:.1%}; with sentences as cues the graph "
        f"finds {SENTENCES.graph:.1%} and anchors only {SENTENCES.anchors:.1%}, each time for about the same tokens. "
        "Neither is evidence: its questions and cues were chosen so that every way of finding and losing a turn "
        "occurs. In a real conversation, LoCoMo's conv-26 with cues by a language model, it was "
        f"{REAL.graph:.1%} with the graph and {REAL.anchors:.1%} with anchors only, at about 2,000 tokens. Load a "
        "dataset on the Data page, come back, and compare there."
    )
