"""Trace: why did this question get this context?"""

from __future__ import annotations

import streamlit as st

from cuemem.ui import controls, empty, markup

scene = controls.inspected()
memory, question = empty.require(scene)
st.text(question.text)
recall = scene.recall
for stage in recall.trace:
    st.text(f"{stage.title}: {stage.summary}, {1000 * stage.seconds:.1f} ms")
for turn_id in scene.gold.turns:
    markup.notice(memory.explain(question.query, scene.method, turn_id, scene.budget).sentence)
st.code(recall.context.text, language=None, wrap_lines=True)
