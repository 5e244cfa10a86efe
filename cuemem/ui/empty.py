"""What a page says when there is nothing to show yet: the one next thing to do."""

from __future__ import annotations

import streamlit as st

from cuemem.ports import Memory
from cuemem.types import Question
from cuemem.ui import cache, links, markup
from cuemem.ui.scene import Scene

_DATA = "pages/data.py"


def no_conversation() -> None:
    """The store holds nothing at all."""
    markup.notice("There is no conversation in the store yet. Load one on the Data page, or the bundled samples by:")
    st.code("python -m cuemem sample", language=None)
    st.page_link(_DATA, label="Load a conversation", icon=":material/database:", query_params=links.data("load"))


def require_memory(scene: Scene) -> Memory:
    """The memory of a scene; where there is none the page ends with a sentence."""
    if scene.memory is None:
        markup.notice(f"{scene.summary.title} has no {scene.method.title} memory yet, so nothing can be recalled.")
        build_link(scene)
        st.stop()
    return scene.memory


def build_link(scene: Scene) -> None:
    """The way to the place where a memory of the conversation is built."""
    there = links.data("build", scene.summary.conversation_id, scene.view.method)
    st.page_link(_DATA, label="Build a memory", icon=":material/build:", query_params=there)


def require(scene: Scene) -> tuple[Memory, Question]:
    """The memory and the question of a scene, ready to recall; without either the page ends with a sentence."""
    memory = require_memory(scene)
    if scene.question is None:
        markup.notice(f"{scene.summary.title} comes without questions, so there is nothing to trace in it.")
        st.stop()
    await_model(scene.question)
    return memory, scene.question


def await_model(question: Question) -> None:
    """Wait until the question can be encoded, and say so where that takes a while."""
    if not cache.encodes(question.text):
        with st.spinner("The embedding model is loading: about ten seconds, once", show_time=True):
            cache.wait_for_model()
