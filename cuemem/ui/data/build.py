"""Build: which conversations, from which cues, and what a turn is; then the memories there are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from cuemem import knobs
from cuemem.adapters.store import ConversationSummary
from cuemem.errors import BadSetting, CueMemError
from cuemem.knobs import Knob
from cuemem.methods import METHODS
from cuemem.text import counted, duration
from cuemem.types import ConversationId
from cuemem.ui import cache, job_panel, markup, state
from cuemem.ui.data import built, by_model, made_files, parts
from cuemem.workbench.materials import Material, costs_calls, material_of
from cuemem.workbench.tasks import ByModel, build_details

_WHAT = (
    "A memory is made of small statements (cues, or memory units) that each point to where they were said. A "
    "question finds statements, and through them its turns."
)
_PER_SECOND = 300  # short texts embedded by two quiet cores
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
    method = _method()
    left, right = st.columns([3, 2], gap="large")
    with right:
        declared, material = knobs.source_knob(method), material_of(method)
        assert declared is not None
        assert material is not None
        method = knobs.with_settings(method, {knob.name: _knob(method, knob) for knob in _others(method)})
    with left:
        source = _source(method, material, declared)
        method = knobs.with_settings(method, {declared.name: source})
        imported = source == "imported"
        files = made_files.choose(method, material, len(chosen)) if imported else made_files.NONE
        how = by_model.choose(method, material) if costs_calls(method) else None
    problem, words = _problem(method, material, chosen, source, files), ""
    if chosen and not problem and (how or not costs_calls(method)):
        try:
            words = by_model.takes(chosen, method, material, how) if how else takes(chosen, method, source)
        except BadSetting as error:
            problem = str(error)
    if problem:
        markup.notice(problem, "warning")
    elif words:
        markup.show(markup.html('<p class="cm-quiet">{words}</p>', words=words))
    st.button(
        f"Build {counted(len(chosen), 'memory')}" if chosen else "Build",
        key="data.build.start",
        type="primary",
        disabled=not chosen or bool(problem) or (costs_calls(method) and how is None),
        on_click=_start,
        args=(chosen, method, source, material, files, how),
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


def _source(method: Any, material: Material, declared: Knob) -> str:
    names = list(material.about)
    return str(
        st.radio(
            f"Where the {method.noun}s come from",
            names,
            index=names.index(declared.default),
            format_func=lambda name: "Language model" if name in material.per_call else name.capitalize(),
            captions=list(material.about.values()),
            key=f"data.build.source.{method.name}",
            persist_state="session",
        )
    )


def _buildable() -> list[type[Any]]:
    """The methods that are built of something; the others need no build."""
    return [method for method in METHODS if material_of(method) is not None]


def _method() -> Any:
    methods = {method.name: method for method in _buildable()}
    if len(methods) == 1:
        return next(iter(methods.values()))()
    looked_at = state.current().method
    name = st.selectbox(
        "Method",
        list(methods),
        index=list(methods).index(looked_at) if looked_at in methods else 0,
        format_func=lambda name: str(methods[name].title),
        key="data.build.method",
        persist_state="session",
        width=420,
    )
    return methods[name]()


def _others(method: Any) -> list[Knob]:
    return [knob for knob in knobs.knobs_of(method) if knob.when == "build" and not knob.source]


def _knob(method: Any, knob: Knob) -> Any:
    """One build-time setting, drawn from what the knob declares."""
    label, key = knob.name.replace("_", " ").capitalize(), f"data.build.{method.name}.{knob.name}"
    if isinstance(knob.default, bool):
        return st.toggle(label, knob.default, key=key, help=knob.about)
    if isinstance(knob.default, int):
        return st.number_input(label, knob.low, knob.high, knob.default, key=key, help=knob.about)
    chosen = st.selectbox(label, knob.choices, index=knob.choices.index(knob.default), key=key)
    st.caption(knob.about[:1].upper() + knob.about[1:] + ".")
    return chosen


def _problem(
    method: Any, material: Material, chosen: list[ConversationSummary], source: str, files: made_files.MadeFiles
) -> str:
    """Why this cannot be built, or empty."""
    if not chosen:
        return ""
    if source == "imported":
        return made_files.problem(method, material, chosen, files)
    if source == "observations":
        store = cache.workbench().store
        lacking = [row.sample_id for row in chosen if not store.observations(row.conversation_id)]
        if lacking:
            return f"{made_files.listed(lacking)} came without observations. Choose another source of cues for it."
    return ""


def takes(chosen: list[ConversationSummary], method: Any, source: str) -> str:
    """What building will take, before it starts: calls, money, time."""
    expected, noun = _to_expect(chosen, source), f"{method.noun}s"
    time = (
        f"Some {expected:,} {noun} to embed, about {duration(expected / _PER_SECOND)} on a quiet machine"
        if expected
        else (f"The {noun} are embedded at some {_PER_SECOND} texts a second on a quiet machine")
    )
    waiting = ", one conversation after the other" if len(chosen) > 1 else ""
    return f"No calls to a language model, no cost. {time}{waiting}; what is embedded already is not embedded again."


def _to_expect(chosen: list[ConversationSummary], source: str) -> int:
    """About how many statements there will be, told from the first few; 0 where only a file could tell."""
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


def _start(
    chosen: list[ConversationSummary],
    method: Any,
    source: str,
    material: Material,
    files: made_files.MadeFiles,
    how: ByModel | None,
) -> None:
    for row in chosen:
        try:
            path = made_files.handed_over(material, files)
        except CueMemError as error:
            st.session_state[made_files.FAULT] = str(error)
            return
        title = f"Building {row.sample_id} · {method.noun}s: {source}"
        job_panel.start("build", title, build_details(row.conversation_id, method, path, how))
