"""Trace: why did this question get this context?"""

from __future__ import annotations

import streamlit as st

from cuemem.ui import controls, empty, markup, state
from cuemem.ui.graph_component import fitting_width, turn_graph
from cuemem.viz.graph import draw, payload

scene = controls.inspected()
memory, question = empty.require(scene)
st.text(question.text)
recall = scene.recall
explanations = {
    turn_id: memory.explain(question.query, scene.method, turn_id, scene.budget) for turn_id in scene.gold.turns
}
picture = draw(recall, scene.gold.turns, scene.turns, explanations, width=fitting_width())
turn_graph(payload(picture), scene.turn, lambda turn: state.change(turn=turn))
for stage in recall.trace:
    st.text(f"{stage.title}: {stage.summary}, {1000 * stage.seconds:.1f} ms")
for turn_id in scene.gold.turns:
    markup.notice(memory.explain(question.query, scene.method, turn_id, scene.budget).sentence)
st.code(recall.context.text, language=None, wrap_lines=True)
