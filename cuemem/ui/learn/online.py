"""Steps 5 to 7, for each question anew: the ranked cues, anchors and one hop, the context."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from cuemem import knobs
from cuemem.evaluation.ladder import Outcome, outcome_of
from cuemem.methods.cuemem.inspect import ranked
from cuemem.text import as_text
from cuemem.types import Recall
from cuemem.ui import state
from cuemem.ui.graph_component import fitting_width, turn_graph
from cuemem.ui.learn import comparison, exercises, facts
from cuemem.ui.learn.controls import budget_slider, exercise, knob_panel, note, say_change
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.learn.offline import card
from cuemem.ui.learn.pieces import Ranked, ladder_table, paragraph, ranked_table
from cuemem.ui.learn.words import found, share
from cuemem.ui.markup import Html, html, join, show
from cuemem.ui.state import put
from cuemem.viz.graph import draw, payload

_BELOW = 3  # cues shown below the line
_TOP = 14  # of many kept cues, the first that are shown
PRIORITY = "Prioritize the information most recent and closest to the question time"


def query(lecture: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Step 5: all cues ranked by the question, cut at m."""
    m = lecture.scene.method.top_cues
    with left:
        show(paragraph(f"The {len(lecture.graph.cues):,} cues by their cosine with the question:"))
        show(ranked_table(_ranked(lecture), lecture.gold, f"m = {m}: what is below is not looked at again"))
    with right:
        knob_panel(lecture, "m")


def _ranked(lecture: Lecture) -> list[Ranked | None]:
    """The kept cues and a few below; then, however far down, the best cue of each gold turn."""
    m = lecture.scene.method.top_cues
    hits = ranked(lecture.memory, lecture.question.query)
    shown = {hit.rank: hit for hit in hits if hit.rank <= _TOP or m - 2 <= hit.rank <= m + _BELOW}
    best = {}
    for turn_id in lecture.gold:
        first = next((hit for hit in hits if hit.cue.turn_id == turn_id), None)
        if first is not None:
            best[first.rank] = first
    rows: list[Ranked | None] = []
    for rank, hit in sorted((shown | best).items()):
        if rows and rows[-1] is not None and rank > rows[-1].rank + 1:
            rows.append(None)
        note = "the best cue of this gold turn" if rank in best else ""
        rows.append(Ranked(rank, hit.cosine, hit.cue.text, hit.cue.turn_id, rank <= m, note))
    return rows


@dataclass(frozen=True, slots=True)
class Way:
    """A part of the hop: which edges are followed."""

    name: str
    label: str
    off: tuple[str, ...]  # the knobs that are set to 0


WAYS = (
    Way("anchors", "Anchors only", ("window", "neighbours")),
    Way("temporal", "With temporal edges", ("neighbours",)),
    Way("semantic", "With semantic edges", ("window",)),
    Way("both", "With both", ()),
)


def hop(lecture: Lecture, left: DeltaGenerator, _right: DeltaGenerator) -> None:
    """Step 6: the anchors and what one hop adds, in the turn graph."""
    chosen = _chosen(lecture)
    recalls = {way.name: _follow(lecture, way) for way in WAYS}
    outcomes = {name: outcome_of(recall.context, lecture.gold) for name, recall in recalls.items()}
    with left:
        _which_edges(chosen)
        show(_parts(lecture, outcomes, chosen))
    explanations = {turn_id: facts.explained(lecture, turn_id) for turn_id in lecture.gold}
    picture = draw(recalls[chosen.name], lecture.gold, lecture.scene.turns, explanations, width=fitting_width())
    turn_graph(payload(picture), lecture.scene.turn, lambda turn: state.change(turn=turn), key="learn")
    if lecture.scene.turn is not None:
        why = facts.explained(lecture, lecture.scene.turn)
        show(paragraph(f"Selected: {why.sentence}"))
        show(card(lecture, lecture.scene.turns[lecture.scene.turn]))
    else:
        show(paragraph("Click a turn to see why it is here; it stays selected on the other pages.", "cml-quiet"))
    texts = [cue.text for cue in lecture.graph.cues]
    exercise(exercises.ways_in(tuple(explanations.values()), texts), "hop")
    st.page_link("pages/trace.py", label="Open this question in Trace", icon=":material/account_tree:")


def _chosen(lecture: Lecture) -> Way:
    noted = lecture.scene.view.extra("hop")
    return next((way for way in WAYS if way.name == noted), WAYS[-1])


def _which_edges(chosen: Way) -> None:
    """The control of the step: which edges are followed."""
    labels = {way.name: way.label for way in WAYS}
    key = put("learn.hop", chosen.name)
    st.segmented_control(
        "Edges that are followed",
        list(labels),
        format_func=lambda name: labels.get(name, name),
        key=key,
        required=True,
        on_change=note,
        args=(key, "hop", chosen.name),
    )


def _follow(lecture: Lecture, way: Way) -> Recall:
    method = knobs.with_settings(lecture.scene.method, dict.fromkeys(way.off, 0))
    return lecture.memory.recall(lecture.question.query, method, lecture.scene.budget)


def _parts(lecture: Lecture, outcomes: dict[str, Outcome], chosen: Way) -> Html:
    """What each part of the hop brings, as a table."""
    rows = [
        html(
            '<tr class="{look}"><th scope="row">{label}</th><td class="cml-number">{turns:,}</td>'
            '<td class="cml-number">{tokens:,}</td><td>{gold}</td></tr>',
            look="cml-now" if way is chosen else "",
            label=way.label,
            turns=outcomes[way.name].turns,
            tokens=outcomes[way.name].tokens,
            gold=found(outcomes[way.name], len(lecture.gold)),
        )
        for way in WAYS
    ]
    return html(
        '<table class="cml-table"><thead><tr><th scope="col">edges</th><th scope="col" class="cml-number">turns</th>'
        '<th scope="col" class="cml-number">tokens</th><th scope="col">found</th></tr></thead>'
        "<tbody>{rows}</tbody></table>",
        rows=join(rows),
    )


def context(lecture: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Step 7: the context as a model would read it, and what it saves."""
    scene, outcome = lecture.scene, facts.here(lecture)
    history = comparison.history_tokens(lecture)
    with left:
        show(paragraph(f"The context: {outcome.turns:,} turns, {outcome.tokens:,} tokens."))
        st.code(scene.recall.context.text, language=None, wrap_lines=True, height=460)
        show(
            paragraph(
                "Below it the prompt sets the question and one instruction (section 4.4), because a later turn may "
                f"correct an earlier one: “{PRIORITY}”."
            )
        )
        _answer(lecture)
    with right:
        show(
            paragraph(
                f"The whole history would be {history:,} tokens; this is {share(outcome.tokens, history)} of it. "
                "No language model is asked on this page: here one would write the answer."
            )
        )
        rungs = budget_slider(lecture)
        say_change("budget", rungs, scene.budget, scene.suited_budget)
        show(ladder_table("budget", "This question, w, k and m as they are:", rungs, scene.budget, len(lecture.gold)))
        exercise(exercises.least_budget(facts.least(lecture, "budget"), outcome), "context")


def _answer(lecture: Lecture) -> None:
    gold, here = lecture.gold, facts.here(lecture)
    with st.expander("Show the right answer", key=f"learn.answer.{lecture.question.index}"):
        answer = as_text(lecture.question.answer)
        show(paragraph(answer or "It was never mentioned."))
        missing = [turn_id for turn_id in gold if turn_id not in here.found]
        if gold:
            show(
                paragraph(
                    "Every turn it follows from is in the context."
                    if not missing
                    else f"In the context: {found(here, len(gold))}. Without the others a model has to guess.",
                    "cml-quiet",
                )
            )
