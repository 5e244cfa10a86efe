"""Data: did my file load, is it sound?"""

from __future__ import annotations

import streamlit as st

from cuemem.ui import job_panel, state
from cuemem.ui.data import parts
from cuemem.ui.data.build import build
from cuemem.ui.data.contents import contents
from cuemem.ui.data.gold import gold
from cuemem.ui.data.load import load
from cuemem.ui.data.problems import problems
from cuemem.ui.data.upkeep import upkeep

PARTS = {
    "load": ("Load", load),
    "contents": ("Contents", contents),
    "problems": ("Problems", problems),
    "build": ("Build memories", build),
    "gold": ("Known-wrong gold", gold),
    "store": ("Store", upkeep),
}

st.title("Data", anchor=False)
state.settle(state.current())
job_panel.work()
parts.tabs(PARTS)
