"""Why a turn is, or is not, in the context: any turn, whoever asks."""

from __future__ import annotations

import streamlit as st

from cuemem.context import said
from cuemem.types import Edge, Explanation, Turn
from cuemem.ui import state
from cuemem.ui.markup import Html, html, join, show
from cuemem.ui.trace.evidence import remedies
from cuemem.ui.trace.reading import Reading
from cuemem.viz.graph.marks import clipped, edge_words

MOST_CUES, MOST_EDGES = 12, 12


def why(reading: Reading) -> None:
    """The explanation of the selected turn, with its cues, its edges and the least changes."""
    turn = reading.shown
    st.subheader("Why this turn, or why not?", anchor="why")
    _picker(reading, turn)
    if turn is None:
        show(html('<p class="cm-quiet">Choose a turn here, or click one in the graph.</p>'))
        return
    explained = _explained(reading, turn)
    with st.container(border=True, key="why-panel"):
        show(_panel(reading, turn, explained))
        if explained.stage != "in context":
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                remedies(reading, explained.changes, "why")


def _explained(reading: Reading, turn: Turn) -> Explanation:
    known = reading.explanations.get(turn.turn_id)
    scene = reading.scene
    return known or reading.memory.explain(reading.question.query, scene.method, turn.turn_id, scene.budget)


def _picker(reading: Reading, turn: Turn | None) -> None:
    turns = reading.scene.turns
    key = state.put("trace.turn", turn.turn_id if turn else None)
    st.selectbox(
        "Turn",
        list(turns),
        format_func=lambda turn_id: (
            f"{turn_id} · {clipped(turns[turn_id].text, 90)}" if turn_id in turns else turn_id
        ),
        key=key,
        placeholder="Choose a turn",
        label_visibility="collapsed",
        on_change=_pick,
        args=(key,),
    )


def _pick(key: str) -> None:
    state.change(turn=st.session_state[key])


def _panel(reading: Reading, turn: Turn, explained: Explanation) -> Html:
    return html(
        '<div class="cmt-why"><p class="cm-label">{head}</p><p class="cmt-sentence">{sentence}</p>'
        '<p class="cmt-said cmt-whole" dir="auto">{text}</p><div class="cmt-columns">{cues}{edges}</div></div>',
        head=f"{turn.turn_id} · session {turn.session} · {said(turn.time)}",
        sentence=explained.sentence,
        text=turn.text,
        cues=cue_list(explained, reading.noun),
        edges=_steps(explained) if explained.steps else _edges(reading, turn, explained),
    )


def _steps(explained: Explanation) -> Html:
    """How far the turn came at each stage that ranks: its best rank there, and what passes."""
    items = [
        html(
            '<li>{mark} <bdi>{title}</bdi>: <b>{rank}</b> <span class="cm-quiet">{limit}</span></li>',
            mark="✓" if step.passed else "✗",
            title=step.title,
            rank="in no list" if step.rank is None else f"#{step.rank:,}",
            limit="" if step.limit is None else f"of the first {step.limit:,}",
        )
        for step in explained.steps
    ]
    return html(
        '<section><p class="cm-label">{title}</p><ul>{items}</ul></section>',
        title="How far its best one came",
        items=join(items),
    )


def cue_list(explained: Explanation, noun: str) -> Html:
    """The turn's cues by their rank over all cues."""
    if not explained.hits:
        rows = html('<p class="cm-quiet">None was extracted, so no question can find this turn by itself.</p>')
        title = f"Its {noun}s"
        return html('<section><p class="cm-label">{title}</p>{rows}</section>', title=title, rows=rows)
    items = [
        html(
            '<li><b>#{rank:,}</b> <bdi>{text}</bdi> <span class="cm-quiet">{cosine:.3f}</span></li>',
            rank=hit.rank,
            text=clipped(hit.cue.text, 220),
            cosine=hit.cosine,
        )
        for hit in explained.hits[:MOST_CUES]
    ]
    more = len(explained.hits) - MOST_CUES
    rest = html('<p class="cm-quiet">and {more} more</p>', more=more) if more > 0 else Html("")
    return html(
        '<section><p class="cm-label">{title}</p><ul>{items}</ul>{rest}</section>',
        title=f"Its {noun}s, by rank for this question, with cosine",
        items=join(items),
        rest=rest,
    )


def _rank(explained: Explanation) -> Html:
    """The rank of the turn itself, where the method ranks turns."""
    if explained.rank is None:
        return Html("")
    cosine = explained.hits[0].cosine
    return html("<section><b>#{rank:,}</b>, cosine {cosine:.3f}</section>", rank=explained.rank, cosine=cosine)


def _edges(reading: Reading, turn: Turn, explained: Explanation) -> Html:
    """The edges that brought it in; for a turn that is not in, those that could have."""
    anchors = {anchor.turn_id: f"A{anchor.rank}" for anchor in reading.recall.anchors}
    title = "The edges that reach it"
    edges: tuple[Edge, ...] = explained.via
    if not edges:
        title = "Edges of the graph that lead to it"
        edges = tuple(edge for edge in reading.graph.edges if edge.target == turn.turn_id)
    if not edges:
        return html('<section><p class="cm-label">{title}</p><p class="cm-quiet">none</p></section>', title=title)
    items = [
        html(
            "<li><bdi>{words}</bdi>{anchor}</li>",
            words=edge_words(edge),
            anchor=html(" <b>{name}</b>", name=anchors[edge.source]) if edge.source in anchors else Html(""),
        )
        for edge in edges[:MOST_EDGES]
    ]
    more = len(edges) - MOST_EDGES
    rest = html('<p class="cm-quiet">and {more} more</p>', more=more) if more > 0 else Html("")
    return html(
        '<section><p class="cm-label">{title}</p><ul>{items}</ul>{rest}</section>',
        title=title,
        items=join(items),
        rest=rest,
    )
