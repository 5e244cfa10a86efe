"""What a page says when there is nothing to show yet: the one next thing to do."""

from __future__ import annotations

import streamlit as st

from cuemem.ports import Memory
from cuemem.types import Question
from cuemem.ui import markup
from cuemem.ui.scene import Scene


def no_conversation() -> None:
    """The store holds nothing at all."""
    markup.notice("There is no conversation in the store yet. Load the bundled samples, then come back to this page:")
    st.code("python -m cuemem sample", language=None)


def require(scene: Scene) -> tuple[Memory, Question]:
    """The memory and the question of a scene; where either is missing the page ends with a sentence."""
    if scene.memory is None:
        markup.notice(f"{scene.summary.title} has no {scene.method.title} memory yet. Build one, in a minute or so:")
        st.code(f"python -m cuemem build {scene.summary.sample_id} --cues sentences", language=None)
        st.stop()
    if scene.question is None:
        markup.notice(f"{scene.summary.title} comes without questions, so there is nothing to trace in it.")
        st.stop()
    return scene.memory, scene.question
