"""Starting a run: which ways of choosing contexts, over which questions, by which model and judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from cuemem.adapters.store import ConversationSummary
from cuemem.errors import CueMemError
from cuemem.evaluation.judge import PROTOCOLS
from cuemem.evaluation.retrieval import category_label
from cuemem.evaluation.run import ORACLE
from cuemem.knobs import source_knob
from cuemem.methods import METHODS
from cuemem.text import counted
from cuemem.types import AnswerStyle, ConversationId, JudgeProtocol
from cuemem.ui import cache, job_panel, markup, models, state
from cuemem.ui.data import parts
from cuemem.ui.runs import asking, held
from cuemem.ui.view import recall_knobs
from cuemem.workbench.answering import ORACLE as ORACLE_TITLE
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.runs import Caps, Contender, Plan, begin
from cuemem.workbench.runs.presets import PRESETS, with_preset
from cuemem.workbench.runs.sampling import SEED
from cuemem.workbench.runs.spelled import contender
from cuemem.workbench.runs.work import LentModels

_TITLES: Mapping[str, str] = {**{method.name: method.title for method in METHODS}, ORACLE: ORACLE_TITLE}
_FAULT = "runs.fault"
_SUITED = "suits the dataset"
_NOBODY = "nobody judges"
_PRESET_NAMES = {"": "As chosen", "ablations": "Ablations (5.3)", "comparison": "Beside full history (5.4)"}


@dataclass(frozen=True, slots=True)
class Asked:
    """How the questions are answered and judged."""

    answering: ModelSettings | None
    judging: ModelSettings | None
    style: str
    priority: bool
    protocol: JudgeProtocol | None
    waits: bool


def start() -> None:
    """Choose, and begin: the contexts are found first, then it is told what asking the model will take."""
    if fault := st.session_state.pop(_FAULT, ""):
        markup.notice(fault, "error")
    rows = [row for row in cache.summaries() if row.questions]
    if not rows:
        markup.notice("There is no conversation with questions yet. Load one first.")
        st.page_link("pages/data.py", label="Load a conversation", icon=":material/database:")
        return
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.subheader("Who answers, who judges", anchor=False)
        asked = _asked()
    with left:
        st.subheader("What is compared", anchor=False)
        named = st.container()
        st.subheader("Which questions", anchor=False)
        chosen = _conversations(rows)
        categories = _categories(chosen)
        limit, seed = _sample()
    with named:
        contenders = _contenders(chosen, answered=asked.answering is not None)
    tuned = st.checkbox(
        "These settings were chosen on these very questions",
        key="runs.tuned",
        help="Then the results are too good, and are marked so wherever they are shown.",
    )
    datasets = {row.dataset for row in rows if row.conversation_id in chosen}
    count = counted(len(contenders) * max(1, len(datasets)), "run")
    st.button(
        f"Find the contexts of {count}" if asked.answering else f"Measure {count}",
        key="runs.begin",
        type="primary",
        disabled=not contenders or not chosen or job_panel.loading(),
        on_click=_begin,
        args=(contenders, chosen, (limit, seed), tuple(categories), asked, tuned),
    )
    st.caption(
        "Nothing is asked yet: first the contexts are found, then you are told what the model will take."
        if asked.answering and not asked.waits
        else "No model is asked: the prompts go out under Batch files."
        if asked.answering
        else "No call to a language model, no cost."
    )


def _contenders(chosen: Sequence[ConversationId], *, answered: bool) -> list[Contender]:
    names = st.multiselect(
        "Methods", list(_TITLES), [METHODS[0].name], format_func=lambda name: _TITLES[name], key="runs.methods"
    )
    preset = st.segmented_control(
        "Preset",
        list(_PRESET_NAMES),
        default="",
        required=True,
        format_func=lambda name: _PRESET_NAMES[name],
        key="runs.preset",
        help=". ".join(f"{name.capitalize()}: {about}" for name, about in PRESETS.items()),
    )
    texts = [f"{name}:{','.join(filter(None, (_memory(name, chosen), _settings(name))))}" for name in names]
    try:
        named = [contender(text, {}) for text in texts]
        return with_preset(preset or None, named, answered=answered) if named else []  # type: ignore[arg-type]
    except CueMemError as error:
        markup.notice(str(error), "warning")
        return []


def _memory(name: str, chosen: Sequence[ConversationId]) -> str:
    """Which of a method's several memories is meant, as settings; asked where the conversations leave a choice."""
    method = next((method for method in METHODS if method.name == name), None)
    if method is None or source_knob(method) is None:
        return ""
    held = [[it for it in cache.memories(key) if it.method == name] for key in chosen]
    if all(len(records) < 2 for records in held):
        return ""
    view = state.current()
    mine = view.method == name
    sources = _everywhere([{str(it.cue_source) for it in records} for records in held])
    source = _one_of(f"Memory of {_TITLES[name]}, built from", sources, view.cues if mine else None, f"{name}.source")
    of_source = [[it for it in records if it.cue_source == source] for records in held]
    said = f"cues={source}" if source else ""
    if all(len(records) < 2 for records in of_source):
        return said
    units = _everywhere([{str(it.turn_unit) for it in records} for records in of_source])
    unit = _one_of(f"What a turn of it is, for {_TITLES[name]}", units, view.turns if mine else None, f"{name}.unit")
    return f"{said},turns={unit}" if unit else said


def _everywhere(found: Sequence[set[str]]) -> list[str]:
    return sorted(set.intersection(*found)) if found else []


def _one_of(label: str, options: Sequence[str], now: str | None, name: str) -> str:
    """One of these, the one that is looked at elsewhere if it is among them; empty where there is none."""
    if not options:
        return ""
    at = options.index(now) if now in options else 0
    return str(st.selectbox(label, options, index=at, key=f"runs.memory.{name}.{'-'.join(options)}"))


def _settings(name: str) -> str:
    """The settings of a method as they are written; those of the sidebar where it is the method looked at there."""
    if name == ORACLE:
        return ""
    view = state.current()
    method = next(method for method in METHODS if method.name == name)
    symbols = {knob.name: knob.symbol for knob in recall_knobs(method) if knob.symbol}
    now = [f"{symbols[key]}={value}" for key, value in view.settings if view.method == name and key in symbols]
    known = ", ".join([*symbols.values(), "budget"])
    return str(
        st.text_input(
            f"Settings of {_TITLES[name]}",
            ", ".join(now),
            key=f"runs.settings.{name}",
            placeholder="as suits each conversation",
            help=f"NAME=VALUE, with commas between: {known}, … What is not said is as suits the conversation.",
        )
    )


def _conversations(rows: Sequence[ConversationSummary]) -> list[ConversationId]:
    titles = {row.conversation_id: f"{row.title} ({row.questions:,})" for row in rows}
    built = [row.conversation_id for row in rows if row.memories]
    return st.multiselect(
        "Conversations",
        list(titles),
        built or list(titles)[:1],
        format_func=lambda key: titles[key],
        key="runs.conversations",
        help="With their numbers of questions. Those that have a memory are chosen at first.",
    )


def _categories(chosen: Sequence[ConversationId]) -> list[str]:
    questions = [question for key in chosen for question in cache.questions(key)]
    labels = sorted({category_label(question) for question in questions})
    return st.multiselect("Categories", labels, key="runs.categories", placeholder="all of them")


def _sample() -> tuple[int | None, int]:
    """How many questions at most, and the seed that draws them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        limit = st.number_input(
            "At most so many questions",
            1,
            None,
            None,
            10,
            key="runs.limit",
            placeholder="all of them",
            help="A sample: of each category its share by size, but at least one, and of all conversations alike.",
            width=240,
        )
        about = "The same seed draws the same sample, and a larger one holds the smaller."
        seed = st.number_input("Seed", 0, 9_999_999, SEED, key="runs.seed", help=about, width=140, disabled=not limit)
    return limit, seed


def _asked() -> Asked:
    answering, judging = _model()
    if answering is None:
        markup.show(
            markup.html(
                '<p class="cm-text">No language model is set, so what is found is measured: evidence recall, its '
                "tokens, and where gold turns are lost.</p>"
            )
        )
        st.page_link("pages/models.py", label="Set a model", icon=":material/smart_toy:")
        return Asked(None, None, "short", True, None, False)
    answered = st.toggle(
        "Let a model answer", True, key="runs.answered", help="Off: only what is found is measured, without a call."
    )
    if not answered:
        return Asked(None, None, "short", True, None, False)
    markup.show(markup.html('<p class="cm-text">Asked: <b>{model}</b></p>', model=answering.line))
    style = st.selectbox("Answer style", list(get_args(AnswerStyle)), format_func=str.capitalize, key="runs.style")
    priority = st.toggle(
        "Priority instruction", True, key="runs.priority", help="Section 5.3: newer statements first."
    )
    judge = st.selectbox(
        "Judge by",
        [_SUITED, *PROTOCOLS, _NOBODY],
        format_func=str.capitalize,
        key="runs.judge",
        help=". ".join(f"{name.capitalize()}: {about}" for name, about in PROTOCOLS.items()),
    )
    if judge != _NOBODY and judging is not None:
        markup.show(markup.html('<p class="cm-text">Judged by: <b>{model}</b></p>', model=judging.line))
    waits = st.toggle(
        "Replies come from batch files",
        key="runs.waits",
        help="No model is asked from here: prompts go out as OpenAI batch files, and replies come back from those.",
    )
    protocol = next((name for name in PROTOCOLS if name == judge), None)
    return Asked(answering, None if judge == _NOBODY else judging, style, priority, protocol, waits)


def _model() -> tuple[ModelSettings | None, ModelSettings | None]:
    try:
        answering = asking.settings("answer")
        return answering, asking.settings("judge") or answering
    except CueMemError as error:
        markup.notice(str(error), "error")
        return None, None


def _begin(
    contenders: Sequence[Contender],
    chosen: Sequence[ConversationId],
    sample: tuple[int | None, int],
    categories: tuple[str, ...],
    asked: Asked,
    tuned: bool,
) -> None:
    """In a callback: keep the cards, find the contexts in the background, and look at the runs."""
    plan = Plan(
        contenders=contenders,
        conversations=chosen,
        limit=sample[0],
        seed=sample[1],
        categories=categories,
        answering=asked.answering,
        judging=asked.judging,
        style=asked.style,  # type: ignore[arg-type]
        priority=asked.priority,
        protocol=asked.protocol,
        prompts=models.prompts(),
        tuned=tuned,
        waits=asked.waits,
    )
    try:
        ids = begin(cache.workbench(), plan)
    except CueMemError as error:
        st.session_state[_FAULT] = str(error)
        return
    asking.start(ids, LentModels.of(asked.answering, asked.judging), Caps(), ask=False)
    held.choose(ids)
    parts.go("results", runs=",".join(ids))
