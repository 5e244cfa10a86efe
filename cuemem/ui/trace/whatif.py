"""What the settings that would recover this question's evidence do to all questions of the conversation."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.evaluation.metrics import Summary, scored_apart, summarise
from cuemem.evaluation.retrieval import evaluate
from cuemem.knobs import fingerprint, settings, with_settings
from cuemem.types import Change
from cuemem.ui import state
from cuemem.ui.markup import html, show
from cuemem.ui.trace.reading import Reading

_ASKED = "trace.whatif"


def what_if(reading: Reading) -> None:
    """On request: the mean recall and tokens at these settings and at each that would recover a missed turn."""
    changes = _changes(reading)
    questions = [question for question in reading.scene.questions if not scored_apart(question)]
    if not changes or len(questions) < 2:
        return
    st.subheader("What would it cost elsewhere?", anchor="what-if")
    show(
        html(
            '<p class="cm-quiet">A setting that recovers this question changes all {count} answerable questions of '
            "the conversation. Settings chosen on the questions they are reported for are tuned: say so.</p>",
            count=len(questions),
        )
    )
    scene = reading.scene
    key = fingerprint(
        scene.view.conversation, scene.view.cues, scene.view.turns, settings(scene.method), scene.budget
    )
    if st.session_state.get(_ASKED) != key:
        st.button(
            f"Try on all {len(questions)} questions",
            key="trace.whatif.go",
            on_click=_ask,
            args=(key,),
            icon=":material/play_arrow:",
        )
        return
    with st.spinner("Recalling every question …"):
        rows = [("as it is now", _summary(reading, scene.method, scene.budget))]
        rows += [(f"with {change}", _summary(reading, *_with(reading, change))) for change in changes]
    st.dataframe(_table(rows), hide_index=True)


def _ask(key: str) -> None:
    st.session_state[_ASKED] = key
    state.touch()


def _changes(reading: Reading) -> list[Change]:
    """The least changes of all missed gold turns, each setting once."""
    lost = [change for row in reading.board if not row.found for change in row.explanation.changes]
    return sorted(set(lost), key=lambda change: (change.knob, change.value))


def _with(reading: Reading, change: Change) -> tuple[Any, int | None]:
    if change.knob == "budget":
        return reading.scene.method, change.value
    return with_settings(reading.scene.method, {change.knob: change.value}), reading.scene.budget


def _summary(reading: Reading, method: Any, budget: int | None) -> Summary:
    scene = reading.scene
    built = scene.choice.record.built_at if scene.choice and scene.choice.record else None
    place = (str(default_store_path()), scene.summary.conversation_id, built)
    return _kept(fingerprint(*place, method.name, settings(method), budget), reading, method, budget)


@st.cache_data(show_spinner=False, max_entries=128)
def _kept(key: str, _reading: Reading, _method: Any, _budget: int | None) -> Summary:
    """The means over the answerable questions; ``key`` names memory, settings and budget."""
    questions = (question for question in _reading.scene.questions if not scored_apart(question))
    scored = evaluate(_reading.memory, _method, questions, _budget)
    return summarise(key, [row.retrieval for row in scored])


def _table(rows: list[tuple[str, Summary]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "setting": [name for name, _ in rows],
            "evidence recall": [summary.recall for _, summary in rows],
            "all evidence": [summary.all for _, summary in rows],
            "tokens, mean": [summary.tokens for _, summary in rows],
            "tokens, 95th percentile": [summary.tokens_p95 for _, summary in rows],
            "turns, mean": [summary.turns for _, summary in rows],
        }
    )
