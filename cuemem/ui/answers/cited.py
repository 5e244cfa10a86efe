"""What an answer cites: its reasoning path, the lines behind the labels, and the ways to their turns."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from cuemem.evaluation.citing import Citation, citations
from cuemem.methods import METHODS
from cuemem.types import EvidenceContext
from cuemem.ui import links
from cuemem.ui.answers.entrants import Entrant
from cuemem.ui.markup import Html, html, join
from cuemem.ui.view import View
from cuemem.workbench.comparison import Standing

_LINKED = 8  # turns


def path(reasoning: str, sent: EvidenceContext) -> Html:
    """The reasoning path, and below it each label that it cites with the line and the turns that it stands for."""
    rows = [
        html(
            '<li class="{look}"><b>{label}</b> {text} <span class="cma-told">{turns}</span></li>',
            look="" if it.known else "cma-unknown",
            label=it.label,
            text=_line(it) if it.known else "unknown: the context has no such label",
            turns=f"from {', '.join(it.turn_ids)}" if it.kind not in ("", "turn") else "",
        )
        for it in citations(reasoning, sent)
    ]
    return html(
        '<p class="cma-told">The path to it, and what it cites</p><p class="cma-path" dir="auto">{path}</p>'
        '<ul class="cma-cited">{rows}</ul>',
        path=reasoning,
        rows=join(rows),
    )


def _line(it: Citation) -> str:
    """A cited line without its label, which stands before it."""
    return it.text.removeprefix(it.label).strip()


def ways(view: View, entrant: Entrant, standing: Standing) -> None:
    """To the cited turns on the Trace page, under the method whose context it was."""
    answer = standing.row.answer if standing.row else None
    if answer is None or answer.style != "cited" or view.question is None:
        return
    found = citations(answer.reasoning, standing.sent)
    turns = list(dict.fromkeys(turn for it in found for turn in it.turn_ids))[:_LINKED]
    if not turns:
        return
    names = {str(it.name) for it in METHODS}
    method = entrant.name if entrant.name in names else view.method
    asked = View(conversation=view.conversation, question=view.question, method=method)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption("Cited turns in Trace", width="content")
        for turn in turns:
            there = links.trace(replace(asked, turn=turn))
            st.page_link("pages/trace.py", label=turn, icon=":material/account_tree:", query_params=there)
