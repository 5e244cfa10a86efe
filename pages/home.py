"""Home: what is this, and does it work here?"""

from __future__ import annotations

import streamlit as st

from cuemem.ui import markup
from cuemem.ui.home import doors, recent, status

LEAD = (
    "Ask a long conversation a question, and see which turns a memory brings back, which it loses, at which step, "
    "and what would have kept them."
)

st.title("CueMem Lab", anchor=False)
markup.show(markup.html('<p class="cm-lead">{lead}</p>', lead=LEAD))
doors.doors()
recent.recent()
st.subheader("Does it work here?", anchor=False)
status.status()
