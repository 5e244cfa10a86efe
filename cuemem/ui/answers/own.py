"""A question of one's own, traced: which anchors it finds, and which context follows from them."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from cuemem.types import Question
from cuemem.ui import empty
from cuemem.ui.scene import Scene
from cuemem.ui.trace.context import context
from cuemem.ui.trace.graph import graph
from cuemem.ui.trace.reading import Reading
from cuemem.ui.trace.stages import stages
from cuemem.ui.trace.why import why


def trace(scene: Scene, question: Question) -> None:
    """What the Trace page shows of a question, for one that the dataset does not have."""
    st.divider()
    asked = replace(scene, question=question)
    reading = Reading(asked, empty.require_memory(asked), question)
    stages(reading)
    graph(reading)
    why(reading)
    context(reading)
