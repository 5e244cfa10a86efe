"""A widget that is gone is reported by the browser until it has drawn the page: its callback must change nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


def tabs() -> None:
    import streamlit as st

    from cuemem.ui import state
    from cuemem.ui.data import parts

    state.begin("data")
    gone = parts._tabs_key()
    st.session_state[gone] = "Load"
    parts.go("build")
    parts._to_title(gone, {"Load": "load", "Build": "build"})
    of_another_page, st.session_state["runs.part.1"] = "runs.part.1", "Results"
    parts._to_title(of_another_page, {"Load": "load", "Build": "build"})
    st.text(state.current().extra("part"))
    now = parts._tabs_key()
    st.session_state[now] = "Load"
    parts._to_title(now, {"Load": "load", "Build": "build"})
    st.text(state.current().extra("part"))


def uploader() -> None:
    import streamlit as st

    from cuemem.ui import uploads

    st.session_state["files.round"] = 1
    st.session_state["files.0"] = [object()]  # released by now: it has not even a name
    uploads._uploaded("files", 0, lambda _path: st.text("taken"))
    st.text(str(st.session_state["files.round"]))


def budget() -> None:
    import streamlit as st

    from cuemem.ui import controls, state

    state.begin("trace")
    st.session_state["control.budgeted"], st.session_state["control.budget"] = False, 2000
    state.change(budget="off")
    controls._to_budget("control.budget")
    st.text(str(state.current().budget))


@pytest.mark.parametrize(("script", "shown"), [(tabs, ["build", "load"]), (uploader, ["1"]), (budget, ["off"])])
def test_a_widget_that_is_gone_changes_nothing(script: object, shown: list[str]) -> None:
    test = AppTest.from_function(script).run()  # type: ignore[arg-type]
    assert not test.exception
    assert [it.value for it in test.text] == shown


def test_a_page_is_drawn_anew_in_one_way_only() -> None:
    """By ``state.redraw``, which does not read the address again: the browser may not have followed it yet."""
    found = [
        path.relative_to(ROOT)
        for path in (ROOT / "cuemem" / "ui").rglob("*.py")
        if re.search(r"\bst\.rerun\(", path.read_text(encoding="utf-8"))
    ]
    assert [path.name for path in found] == ["state.py"]
