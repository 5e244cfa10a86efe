"""Build: which conversations, from which cues, and what a turn is; then the memories there are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from cuemem import knobs
from cuemem.adapters.store import ConversationSummary
from cuemem.errors import CueMemError
from cuemem.knobs import Knob
from cuemem.methods import METHODS
from cuemem.text import counted, duration
from cuemem.types import ConversationId
from cuemem.ui import cache, job_panel, markup
from cuemem.ui.data import built, by_model, cue_files, parts
from cuemem.workbench.sources import ABOUT, PER_CALL
from cuemem.workbench.tasks import ByModel, build_details

_SOURCE = "cue_source"
_WHAT = (
    "A memory is made of cues: small statements that each point to the turn they came from. A question finds cues, "
    "and through them its turns."
)
_PER_SECOND = 300  # cues embedded by two quiet cores
_SENTENCE = 55  # characters, in dialogue
_LOOKED_AT = 8  # conversations


def build() -> None:
    """Choose, see what it will take, start; below, the memories there are."""
    rows = {row.conversation_id: row for row in cache.summaries()}
    if not rows:
        parts.nothing_loaded()
        return
    built.cards()
    markup.show(markup.html('<p class="cm-text">{about}</p>', about=_WHAT))
    chosen = _conversations(rows)
    left, right = st.columns([3, 2], gap="large")
    with left:
        source = _source()
        files = cue_files.choose(len(chosen)) if source == "imported" else cue_files.NONE
        how = by_model.choose() if source in PER_CALL else None
    with right:
        method = knobs.with_settings(_method(), {_SOURCE: source})
        method = knobs.with_settings(method, {knob.name: _knob(knob) for knob in _others(method)})
    problem = _problem(chosen, source, files)
    if problem:
        markup.notice(problem, "warning")
    elif how:
        words = by_model.takes(chosen, how, method.turn_unit)
        markup.show(markup.html('<p class="cm-quiet">{words}</p>', words=words))
    elif chosen and source not in PER_CALL:
        markup.show(markup.html('<p class="cm-quiet">{words}</p>', words=takes(chosen, source)))
    st.button(
        f"Build {counted(len(chosen), 'memory')}" if chosen else "Build",
        key="data.build.start",
        type="primary",
        disabled=not chosen or bool(problem) or (source in PER_CALL and how is None),
        on_click=_start,
        args=(chosen, method, files, how),
    )
    built.memories(rows)


def _conversations(rows: dict[ConversationId, ConversationSummary]) -> list[ConversationSummary]:
    parts.start_choice(rows)
    if len(rows) == 1:
        st.session_state[parts.CHOSEN] = list(rows)
    labels = _labels(rows)
    names = st.multiselect(
        "Conversations",
        list(rows),
        format_func=lambda name: labels.get(name, name),
        key=parts.CHOSEN,
        placeholder="Choose one or more",
        persist_state="session",
    )
    return [rows[name] for name in names]


def _labels(rows: dict[ConversationId, ConversationSummary]) -> dict[ConversationId, str]:
    """Dataset and sample; where that names several, the file too."""
    titles = Counter(row.title for row in rows.values())
    return {name: row.title if titles[row.title] == 1 else f"{row.title} · {row.file}" for name, row in rows.items()}


def _source() -> str:
    key = "data.build.source"
    return str(
        st.radio(
            "Where the cues come from",
            list(ABOUT),
            index=list(ABOUT).index(_default(_SOURCE)),
            format_func=lambda name: "Language model" if name in PER_CALL else name.capitalize(),
            captions=list(ABOUT.values()),
            key=key,
            persist_state="session",
        )
    )


def _default(name: str) -> Any:
    return getattr(_buildable()[0](), name)


def _buildable() -> list[type[Any]]:
    """The methods that build from cues; the others need no build."""
    return [method for method in METHODS if any(knob.name == _SOURCE for knob in knobs.knobs_of(method))]


def _method() -> Any:
    methods = {method.name: method for method in _buildable()}
    if len(methods) == 1:
        return next(iter(methods.values()))()
    name = st.selectbox(
        "Method", list(methods), format_func=lambda name: str(methods[name].title), key="data.build.method"
    )
    return methods[name]()


def _others(method: Any) -> list[Knob]:
    return [knob for knob in knobs.knobs_of(method) if knob.when == "build" and knob.name != _SOURCE]


def _knob(knob: Knob) -> Any:
    """One build-time setting, drawn from what the knob declares."""
    label, key = knob.name.replace("_", " ").capitalize(), f"data.build.{knob.name}"
    if isinstance(knob.default, bool):
        return st.toggle(label, knob.default, key=key, help=knob.about)
    if isinstance(knob.default, int):
        return st.number_input(label, knob.low, knob.high, knob.default, key=key, help=knob.about)
    chosen = st.selectbox(label, knob.choices, index=knob.choices.index(knob.default), key=key)
    st.caption(knob.about[:1].upper() + knob.about[1:] + ".")
    return chosen


def _problem(chosen: list[ConversationSummary], source: str, files: cue_files.CueFiles) -> str:
    """Why this cannot be built, or empty."""
    if not chosen:
        return ""
    if source == "imported":
        return cue_files.problem(chosen, files)
    if source == "observations":
        store = cache.workbench().store
        lacking = [row.sample_id for row in chosen if not store.observations(row.conversation_id)]
        if lacking:
            return f"{cue_files.listed(lacking)} came without observations. Choose another source of cues for it."
    return ""


def takes(chosen: list[ConversationSummary], source: str) -> str:
    """What building will take, before it starts: calls, money, time."""
    cues = _cues_to_expect(chosen, source)
    time = (
        f"Some {cues:,} cues to embed, about {duration(cues / _PER_SECOND)} on a quiet machine"
        if cues
        else (f"The cues are embedded at some {_PER_SECOND} a second on a quiet machine")
    )
    waiting = ", one conversation after the other" if len(chosen) > 1 else ""
    return f"No calls to a language model, no cost. {time}{waiting}; what is embedded already is not embedded again."


def _cues_to_expect(chosen: list[ConversationSummary], source: str) -> int:
    """About how many cues there will be, told from the first few conversations; 0 where only a file could tell."""
    looked_at = chosen[:_LOOKED_AT]
    ids = [row.conversation_id for row in looked_at]
    if source == "sentences":
        letters = sum(len(it.text) for name in ids for it in cache.conversation(name).utterances)
        found = max(letters / _SENTENCE, sum(row.utterances for row in looked_at))
    elif source == "observations":
        found = sum(len(cache.workbench().store.observations(name)) for name in ids)
    else:
        return 0
    share = sum(row.utterances for row in chosen) / max(1, sum(row.utterances for row in looked_at))
    return _roughly(found * share)


def _roughly(count: float) -> int:
    """A number as roughly as it is known: two digits of it."""
    return round(float(f"{count:.1e}"))


def _start(chosen: list[ConversationSummary], method: Any, files: cue_files.CueFiles, how: ByModel | None) -> None:
    for row in chosen:
        try:
            path = cue_files.handed_over(files)
        except CueMemError as error:
            st.session_state[cue_files.FAULT] = str(error)
            return
        title = f"Building {row.sample_id} · cues: {getattr(method, _SOURCE)}"
        job_panel.start("build", title, build_details(row.conversation_id, method, path, how))
