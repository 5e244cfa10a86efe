"""Failures: what fails most?"""

from __future__ import annotations

import streamlit as st

from cuemem.ui import job_panel, state
from cuemem.ui.failures.page import page

st.title("Failures", anchor=False)
state.settle(state.current())
job_panel.work()
page()
