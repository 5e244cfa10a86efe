"""The app: its pages in their sections. Run it with ``make app`` or ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

from cuemem.errors import CueMemError
from cuemem.ui import cache, markup, state, style

ABOUT = """**CueMem Lab**: a research and debugging app for long-term conversational memory.

CueMem is described in arXiv 2609.12354. Everything runs on this
machine; nothing is sent anywhere but what you ask a language model that you name yourself.
"""

# A page is a file in pages/ and a line here; its name is its path in the address.
PAGES = {
    "Start": [
        st.Page("pages/home.py", title="Home", icon=":material/home:", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/database:", url_path="data"),
        st.Page("pages/models.py", title="Models", icon=":material/smart_toy:", url_path="models"),
    ],
    "Inspect": [
        st.Page("pages/conversation.py", title="Conversation", icon=":material/forum:", url_path="conversation"),
        st.Page("pages/cues.py", title="Cues", icon=":material/sell:", url_path="cues"),
        st.Page("pages/units.py", title="Units", icon=":material/event_note:", url_path="units"),
        st.Page("pages/trace.py", title="Trace", icon=":material/account_tree:", url_path="trace"),
    ],
    "Compare": [
        st.Page("pages/answers.py", title="Answers", icon=":material/compare:", url_path="answers"),
        st.Page("pages/sweep.py", title="Sweep", icon=":material/query_stats:", url_path="sweep"),
        st.Page("pages/runs.py", title="Runs", icon=":material/leaderboard:", url_path="runs"),
    ],
    "Review": [
        st.Page("pages/failures.py", title="Failures", icon=":material/rule:", url_path="failures"),
        st.Page("pages/judge.py", title="Judge desk", icon=":material/gavel:", url_path="judge"),
    ],
    "Learn": [
        st.Page("pages/learn.py", title="Step by step", icon=":material/school:", url_path="learn"),
    ],
}

st.set_page_config(page_title="CueMem Lab", page_icon=style.icon(), layout="wide", menu_items={"About": ABOUT})
page = st.navigation(PAGES)
style.apply()
try:
    cache.workbench()
    state.begin(page.url_path)
    try:
        page.run()
        state.current()  # ends a run that another has overtaken: it would take that one's fragments with it
    finally:
        cache.warm_up()  # last: its imports would hold up what there is to see
except CueMemError as error:
    markup.notice(str(error), "error")
