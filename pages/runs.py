"""Runs: is B better than A, and is it real?"""

from __future__ import annotations

import streamlit as st

from cuemem.ui import job_panel, state
from cuemem.ui.data import parts
from cuemem.ui.runs.batching import batches
from cuemem.ui.runs.comparing import compare
from cuemem.ui.runs.results import results
from cuemem.ui.runs.starting import start

PARTS = {
    "results": ("Runs and results", results),
    "compare": ("Compare two", compare),
    "start": ("Start a run", start),
    "batch": ("Batch files", batches),
}

st.title("Runs", anchor=False)
state.settle(state.current())
job_panel.work()
parts.tabs(PARTS)
