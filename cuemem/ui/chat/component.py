"""The chat as a component: drawn once by one part, marked by another, so that a slider step resends no text."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_KEY = "conversation.chat"

_FRAME = """
<div class="frame"><div class="chat" role="group" aria-label="The conversation">
  <div class="bar">
    <details class="legend"><summary>Marks</summary>
      <span><span class="glyph" data-look="anchor">A1</span>anchor and rank</span>
      <span><span class="glyph" data-look="temporal"></span>T temporal neighbour</span>
      <span><span class="glyph" data-look="semantic"></span>S semantic neighbour</span>
      <span><span class="glyph" data-look="found history"></span>gold, found</span>
      <span><span class="glyph" data-look="missed"></span>gold, missed</span>
      <span><span class="glyph" data-look="cut"></span>cut by the budget</span>
    </details>
    <span class="stepper">
      <span class="where" role="status"></span>
      <button type="button" class="step" title="Previous" aria-label="Previous">↑</button>
      <button type="button" class="step" title="Next" aria-label="Next">↓</button>
    </span>
  </div>
  <div class="body">
    <nav class="rail" aria-label="Sessions"></nav>
    <div class="pane"></div>
    <div class="ruler" aria-hidden="true"></div>
  </div>
</div></div>
"""

# Hands the marks to the chat, whichever of the two parts comes first.
_OVERLAY = """
export default function ({ data }) {
  const board = (globalThis.cuememChat ??= {});
  board.state = data;
  board.chat?.lay(data);
}
"""


@lru_cache(maxsize=1)
def _parts() -> tuple[ComponentRenderer, ComponentRenderer]:
    here = Path(__file__).parent
    text = st.components.v2.component(
        "cuemem_chat",
        html=_FRAME,
        css=(here / "chat.css").read_text(encoding="utf-8"),
        js=(here / "chat.js").read_text(encoding="utf-8"),
    )
    return text, st.components.v2.component("cuemem_chat_marks", js=_OVERLAY)


def draw_chat(text: dict[str, Any], state: dict[str, Any], on_turn: Callable[[str], None]) -> None:
    """Draw a conversation (see :mod:`cuemem.ui.chat.text`) with what lies over it.

    ``state`` holds marks, shown, hits, find, selected, stepping and steps, turns named by their places.
    ``on_turn`` is called with the id of a turn that was clicked, "" for the selected one.
    """

    def clicked() -> None:
        on_turn(st.session_state[_KEY].turn or "")

    chat, marks = _parts()
    chat(key=_KEY, data=text, on_turn_change=clicked)
    marks(key=f"{_KEY}.marks", data=state | {"revision": text["revision"]}, height=1)
