"""The turn graph in the app: a components-v2 component around vis-network that tells which turn was clicked.

Three parts, so that little travels: the vis library comes in a component of its own, until the browser has it; the
graph gets a payload only when the picture changes; the selected turn goes by a third part of a few bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import resources

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from cuemem.ui import state
from cuemem.viz.graph import drawing_code, vis_library
from cuemem.viz.graph.network import Payload

_WIDTH = "graph.width"
_USUAL, _LEAST, _MOST, _STEP = 1000, 300, 1600, 20

_GRAPH_JS = """
const library = (ask) => globalThis.vis?.Network ? Promise.resolve() : new Promise((done, failed) => {
  let waits = 0;
  const waiting = setInterval(() => {
    if (globalThis.vis?.Network) { clearInterval(waiting); done(); }
    else if (++waits === 100) ask();
    else if (waits > 2000) { clearInterval(waiting); failed(new Error("vis-network did not load")); }
  }, 15);
});
export default async function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const box = parentElement.querySelector(".cuemem-graph");
  await library(() => setTriggerValue("library", true));
  box.hooks = { onTurn: (turn) => setTriggerValue("turn", turn), onWidth: (width) => {
    if (Math.abs(width - (box.told ?? 0)) >= 20) { box.told = width; setStateValue("width", width); }
  } };
  if (!box.graph) {
    box.graph = cuememGraph(globalThis.vis, box, {
      onTurn: (turn) => box.hooks.onTurn(turn), onWidth: (width) => box.hooks.onWidth(width) });
    (globalThis.cuememGraphs ??= new Map()).set("turns", box.graph);
    box.graph.select(globalThis.cuememSelected ?? null);
  }
  box.graph.show(data);
  return () => { if (!box.isConnected && box.graph) { box.graph.destroy(); box.graph = null; } };
}
"""
_SELECTION_JS = """
export default function ({ data }) {
  globalThis.cuememSelected = data.turn;
  globalThis.cuememGraphs?.get("turns")?.select(data.turn);
}
"""
_HTML = '<div class="cuemem-graph" role="img" data-testid="turn-graph"></div>'
_CSS = """
.cuemem-graph { background-color: var(--st-background-color); color: var(--st-text-color);
  font-family: var(--st-font); border: 1px solid var(--st-border-color); border-radius: .4rem;
  padding: .5rem .25rem .25rem; min-height: 120px; transition: background-color 1ms; }
div.vis-tooltip { color: var(--st-text-color); background: var(--st-secondary-background-color);
  border-color: var(--st-border-color); font-family: var(--st-font); }
"""


@lru_cache(maxsize=1)  # a process registers each component once
def _components() -> tuple[ComponentRenderer, ComponentRenderer, ComponentRenderer]:
    css = (resources.files("cuemem.viz.graph") / "draw.css").read_text(encoding="utf-8")
    define = st.components.v2.component
    return (
        define("cuemem_vis_library", js=vis_library() + "\n;export default function () {}"),
        define("cuemem_turn_graph", html=_HTML, css=css + _CSS, js=drawing_code() + _GRAPH_JS),
        define("cuemem_selected_turn", js=_SELECTION_JS),
    )


def turn_graph(payload: Payload, selected: str | None, on_turn: Callable[[str], None], key: str = "turns") -> None:
    """Show a payload of :func:`cuemem.viz.graph.payload`; ``on_turn`` is called with the turn that was clicked."""
    library, graph, selection = _components()
    name = f"graph.{key}"

    def clicked() -> None:
        turn = st.session_state[name].get("turn")
        if isinstance(turn, str):
            on_turn(turn)

    def measured() -> None:
        state.touch()
        st.session_state[_WIDTH] = st.session_state[name].get("width")

    def without_library() -> None:
        state.touch()
        st.session_state.pop(_WIDTH, None)

    if _WIDTH not in st.session_state:  # it measures once it draws, so then the library is there, and stays
        library(key=f"{name}.library")
    graph(
        key=name,
        data=payload,
        on_turn_change=clicked,
        on_width_change=measured,
        on_library_change=without_library,
    )
    selection(key=f"{name}.selected", data={"turn": selected})


def fitting_width() -> int:
    """The width to lay a picture out for: what the browser told, in steps, so that a scroll bar changes nothing."""
    told = st.session_state.get(_WIDTH)
    if not isinstance(told, (int, float)):
        return _USUAL
    return min(_MOST, max(_LEAST, int(told) // _STEP * _STEP))
