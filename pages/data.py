"""Data: did my file load, is it sound?"""

from __future__ import annotations

import streamlit as st

st.title("Data", anchor=False)
