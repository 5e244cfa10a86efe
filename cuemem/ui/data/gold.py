"""Known-wrong gold: a list from elsewhere that flags questions; the file's own gold stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from cuemem.adapters.store import OverlayRecord
from cuemem.text import counted
from cuemem.ui import cache, job_panel, markup, tables, uploads
from cuemem.ui.data import parts
from cuemem.ui.data.problems import row_of
from cuemem.workbench import incoming
from cuemem.workbench.overlays import OverlayReport, load_overlay

_REPORTS = "data.gold.reports"
_COLUMNS = ("conversation", "question", "kind", "place", "detail")
_ABOUT = (
    "Benchmarks contain answers that are wrong and evidence that is cited wrongly. A list of such faults, as public "
    "audits give them, flags the questions here: scores can then be read with and without them. The gold of the file "
    "stays as it is, and the list can be taken off again."
)
_EXAMPLE = """\
[{"question_id": "locomo_0_qa6", "question": "When did …?",
  "error_type": "TEMPORAL_ERROR", "reasoning": "…",
  "correct_answer": "…", "correct_evidence": ["D2:1"]}]
"""


def gold() -> None:
    """Upload a list, see what it flags, take it off again."""
    if not cache.workbench().store.files():
        parts.nothing_loaded()
        return
    markup.show(markup.html('<p class="cm-text">{about}</p>', about=_ABOUT))
    left, right = st.columns(2, gap="large")
    with left:
        if job_panel.loading():
            st.caption("Lists can be laid on and taken off once the file that is being loaded is in.")
        else:
            uploads.uploader("Upload a list", ("json", "gz"), "data.gold", _uploaded)
    with right, st.expander("How the list has to look"):
        markup.show(
            markup.html(
                "<p>A JSON list of objects. Each names its question by <code>question_id</code> (dataset, place of "
                "the conversation in its file, place of the question, both from 0) or by <code>sample_id</code> and "
                "<code>question_index</code>. All else may be missing. A <code>question</code> that is given has to "
                "be the file's, word for word.</p>"
            )
        )
        st.code(_EXAMPLE, language=None, wrap_lines=True)
    _lists(cache.workbench().store.overlays())


def _uploaded(path: Path) -> None:
    store = cache.workbench().store
    try:
        report = load_overlay(store, path)
    finally:
        incoming.discard(store, path)
    st.session_state.setdefault(_REPORTS, {})[report.sha256] = report
    cache.forget_conversations()


def _lists(overlays: Sequence[OverlayRecord]) -> None:
    st.subheader(f"{counted(len(overlays), 'list')} in force" if overlays else "No list is in force", anchor=False)
    for overlay in overlays:
        with st.container(border=True, key=f"gold.{overlay.sha256[:12]}"):
            with st.container(horizontal=True, vertical_alignment="center"):
                with st.container(width="stretch"):
                    markup.show(_described(overlay))
                st.button(
                    "Remove",
                    key=f"gold.remove.{overlay.sha256[:12]}",
                    on_click=_remove,
                    args=(overlay.sha256,),
                    disabled=job_panel.loading(),
                )
            report = st.session_state.get(_REPORTS, {}).get(overlay.sha256)
            if report is not None:
                _details(report)


def _described(overlay: OverlayRecord) -> markup.Html:
    return markup.html(
        '<div class="cm-name">{name}</div><div class="cm-quiet">{flags} flagged in {conversations} · '
        "since {time:%Y-%m-%d %H:%M} UTC</div>",
        name=overlay.name,
        flags=counted(overlay.flags, "question"),
        conversations=counted(overlay.conversations, "conversation"),
        time=overlay.added_at,
    )


def _details(report: OverlayReport) -> None:
    """What the list that was just uploaded did."""
    unmatched = report.entries - report.flags
    facts = {
        "Lies over": ", ".join(report.files),
        "Flags": f"{report.flags:,} of its {counted(report.entries, 'entry')}: "
        + ", ".join(f"{count:,} {kind}" for kind, count in report.kinds.items()),
        "Matches nothing": counted(unmatched, "entry") if unmatched else "every entry found its question",
    }
    markup.show(markup.facts(facts))
    if not report.problems:
        return
    rows = [row_of(report.name, problem) for problem in report.problems]
    with st.expander(f"{counted(len(rows), 'problem')} in the list", expanded=True):
        tables.show(rows, _COLUMNS, "Problems in the list")
        tables.csv_button(rows, _COLUMNS, "list problems", f"gold.csv.{report.sha256[:12]}")


def _remove(sha256: str) -> None:
    cache.workbench().store.remove_overlay(sha256)
    cache.forget_conversations()
