"""The evidence scoreboard: each gold turn, what became of it, and what would recover it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cuemem.evaluation.scoreboard import GoldTurn
from cuemem.types import Change, LossStage, Turn
from cuemem.ui import controls, state
from cuemem.ui.markup import Html, html, show
from cuemem.ui.trace.reading import Reading
from cuemem.ui.trace.signs import sign
from cuemem.ui.view import MOST_BUDGET
from cuemem.viz.graph.marks import Mark, clipped, status_of

LOST: Mapping[LossStage, str] = {
    "no cue": "lost at extraction: it has no cue, and no edge reaches it",
    "no unit": "lost at extraction: it lies in the evidence of no memory unit",
    "below n": "lost at retrieval: its units are not among the first n of the fused lists",
    "below k": "lost at activation: its best unit is below the k that are kept",
    "below m": "lost at retrieval: ranked below what is retrieved, and no edge reaches it",
    "cut by budget": "reached, but cut by the budget",
    "cut by window": "reached, but cut by the model's window",
    "not ranked": "not ranked",
}


def evidence(reading: Reading) -> None:
    """A row for each gold turn, in the order they were said."""
    st.subheader("Evidence", anchor="evidence")
    if not reading.board:
        unresolved = len(reading.question.evidence)
        cited = f" Its {unresolved} citation(s) name no turn." if unresolved else ""
        show(html('<p class="cm-quiet">No gold turn is known for this question.{cited}</p>', cited=cited))
        return
    marks = {mark.turn.turn_id: mark for mark in reading.marks}
    for row in reading.board:
        with st.container(border=True, key=f"evidence-{row.turn_id}", gap="xsmall"):
            left, right = st.columns([8, 1.3], gap="small")
            with left:
                show(_row(reading, row, marks[row.turn_id]))
            right.button(
                "Explain",
                key=f"explain-{row.turn_id}",
                on_click=state.change,
                kwargs={"turn": row.turn_id},
                disabled=reading.shown is not None and reading.shown.turn_id == row.turn_id,
                help="Why this turn is, or is not, in the context: beneath the graph",
                width="stretch",
            )
            if not row.found:
                with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                    remedies(reading, row.explanation.changes, f"evidence-{row.turn_id}")


def _row(reading: Reading, row: GoldTurn, mark: Mark) -> Html:
    """What became of the turn, and its best cue."""
    turn, explained = mark.turn, row.explanation
    how = status_of(mark).removeprefix("gold, ") if row.found else LOST[explained.stage]
    return html(
        '<div class="cmt-gold">{sign}<div><p class="cmt-how"><b><bdi>{turn}</bdi></b> {how}</p>'
        '<p class="cmt-said" dir="auto">{text}</p>{cue}</div></div>',
        sign=sign(mark.look, mark.label),
        turn=turn.turn_id,
        how=how,
        text=clipped(turn.text, 320),
        cue=_best_cue(reading, row, turn),
    )


def _best_cue(reading: Reading, row: GoldTurn, turn: Turn) -> Html:
    """How the turn ranks, by which of its cues; a method without cues ranks the turn itself, or nothing."""
    hits = row.explanation.hits
    if not hits:
        nothing = html('<p class="cm-quiet">No {noun} was extracted from this turn.</p>', noun=reading.noun)
        return nothing if reading.with_cues else Html("")
    best = hits[0]
    text = html(": <bdi>{text}</bdi>", text=clipped(best.cue.text, 160)) if best.cue.text != turn.text else Html("")
    return html(
        '<p class="cm-quiet">{what} <b>#{rank:,}</b>, cosine {cosine:.3f}{text}</p>',
        what=f"best {reading.noun}" if reading.with_cues else "rank",
        rank=best.rank,
        cosine=best.cosine,
        text=text,
    )


def remedies(reading: Reading, changes: tuple[Change, ...], place: str) -> None:
    """A button for each least change that would bring a lost turn in, with its price for this question."""
    within = [change for change in changes if change.knob != "budget" or change.value <= MOST_BUDGET]
    for change in within:
        price = reading.price(change)
        st.button(
            f"Set {change} ({price:+,} tokens)".replace("-", "−"),
            key=f"apply-{place}-{change.knob}",
            on_click=controls.set_knob,
            args=(change.knob, change.value),
        )
    beyond = [change for change in changes if change not in within]
    if beyond:
        show(html('<p class="cm-quiet">{change} tokens would bring it in.</p>', change=str(beyond[0]).capitalize()))
    elif not within:
        show(html('<p class="cm-quiet">No single change within the ranges brings it in.</p>'))
