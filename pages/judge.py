"""Judge desk: can I trust the judge?"""

from __future__ import annotations

import streamlit as st

from cuemem.ui import job_panel, state
from cuemem.ui.data import parts
from cuemem.ui.judging.agreeing import agree
from cuemem.ui.judging.labelling import label
from cuemem.ui.judging.protocols import protocols
from cuemem.ui.judging.steadiness import steadiness

PARTS = {
    "label": ("Label blind", label),
    "agree": ("Agreement", agree),
    "protocols": ("Strict or generous", protocols),
    "again": ("Judged again", steadiness),
}

st.title("Judge desk", anchor=False)
state.settle(state.current())
job_panel.work()
parts.tabs(PARTS)
