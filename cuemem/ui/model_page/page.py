"""The Models page, put together."""

from __future__ import annotations

import streamlit as st

from cuemem.errors import CueMemError
from cuemem.ui import markup, models, state
from cuemem.ui.markup import html, show
from cuemem.ui.model_page.form import form
from cuemem.ui.model_page.local import local
from cuemem.ui.model_page.roles import roles
from cuemem.workbench.models import ROLES

LEAD = "Extraction, answers and judging ask a language model. Everything else works without one."
TWO_WAYS = (
    "No language model is set. Loading, cues from sentences, files and observations, the turn graph, tracing, "
    "measuring and answers that were recorded before all work without one; extraction by a model, new answers and "
    "verdicts do not. Two ways to get one: name a model below, with its key where it needs one, or bring the local "
    "one, which needs no key."
)


def draw() -> None:
    """What is set, how to set it, and the local model."""
    st.title("Models", anchor=False)
    state.settle(state.current())
    show(html('<p class="cm-lead">{lead}</p>', lead=LEAD))
    try:
        values = models.values()
    except CueMemError as error:
        markup.notice(str(error), "error")
        return
    if not any(values.source(role) for role in ROLES):
        markup.notice(TWO_WAYS)
    roles(values)
    form(values)
    local()
