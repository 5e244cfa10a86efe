"""What is compared, and how: read from the address, changed by the controls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from cuemem.evaluation.judge import PROTOCOLS, suited_protocol
from cuemem.methods import METHODS
from cuemem.types import AnswerStyle, JudgeProtocol
from cuemem.ui import cache, state
from cuemem.ui.scene import Scene, memory_choices
from cuemem.ui.view import LONGEST_VALUE, View
from cuemem.workbench.answering import ORACLE

ORACLE_ID, NO_JUDGE, ON, OFF = "oracle", "none", "on", "off"
TITLES: Mapping[str, str] = {**{method.name: method.title for method in METHODS}, ORACLE_ID: ORACLE}
_STYLES: Mapping[str, str] = {"short": "Short phrase", "reasoned": "Reasoned", "cited": "With citations"}
_ABOUT_STYLE = (
    "A short phrase; thoughts before it; or QGMem's form: a reasoning path that cites turns or memory units by label."
)
FROM_DATASET, OWN = "From the dataset", "Your own"


@dataclass(frozen=True, slots=True)
class Choices:
    """What is compared. ``protocol`` None: nobody judges. ``own`` None: a question of the dataset is asked.

    ``model`` names whose kept answers are looked at; empty means those of the model that is set.
    """

    cards: tuple[str, ...]
    style: AnswerStyle
    priority: bool
    without_graph: bool
    protocol: JudgeProtocol | None
    own: str | None
    model: str


def choices(scene: Scene) -> Choices:
    """What the address says; what it says wrongly is left at its default."""
    view = scene.view
    said = view.extra("cards").split(",")
    named = tuple(name for name in TITLES if name in said)
    style: AnswerStyle = next((it for it in get_args(AnswerStyle) if it == view.extra("style")), "short")
    asks_own = view.extra("ask") == "own" or scene.question is None
    return Choices(
        named or usual(scene),
        style,
        view.extra("priority") != OFF,
        view.extra("graphless") == ON,
        _protocol(view, scene.conversation.dataset),
        view.extra("own") if asks_own else None,
        view.extra("model"),
    )


def usual(scene: Scene) -> tuple[str, ...]:
    """The contexts that are compared unless told otherwise: of every method that has a memory, and the oracle's.

    The sidebar's method is among them, built or not.
    """
    return tuple(
        name for name in TITLES if name in (ORACLE_ID, scene.method.name) or memory_choices(scene.conversation, name)
    )


def _protocol(view: View, dataset: str) -> JudgeProtocol | None:
    said = view.extra("judge")
    if said == NO_JUDGE:
        return None
    return next((name for name in PROTOCOLS if name == said), suited_protocol(dataset))


def which_question(scene: Scene) -> None:
    """One of the dataset, with its gold, or one of one's own."""
    if scene.question is None:
        return
    st.segmented_control(
        "Question",
        [FROM_DATASET, OWN],
        key=state.put("answers.which", OWN if choices(scene).own is not None else FROM_DATASET),
        required=True,
        label_visibility="collapsed",
        on_change=lambda: state.note("ask", "own" if st.session_state["answers.which"] == OWN else ""),
    )


def own_question(chosen: Choices) -> None:
    """The words of one's own question; they stand in the address."""
    st.text_input(
        "Your question about this conversation",
        key=state.put("answers.own", chosen.own or ""),
        placeholder="What would you ask it?",
        max_chars=LONGEST_VALUE,
        on_change=lambda: state.note("own", st.session_state["answers.own"].strip()),
    )


def controls(chosen: Choices, scene: Scene) -> None:
    """Which contexts, and what is held equal on all cards."""
    offered = [name for name in TITLES if name != ORACLE_ID or chosen.own is None]
    st.pills(
        "Answer from",
        offered,
        selection_mode="multi",
        format_func=lambda name: TITLES.get(name, name),
        key=state.put("answers.cards", [name for name in chosen.cards if name in offered]),
        on_change=_to_cards,
        args=(usual(scene),),
    )
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="cm-answers-controls"):
        _select("Answer style", _STYLES, chosen.style, "style", _ABOUT_STYLE)
        judges = {str(name): about for name, about in PROTOCOLS.items()} | {NO_JUDGE: "nobody judges"}
        if chosen.own is None:
            about = ". ".join(f"{name.capitalize()}: {words}" for name, words in judges.items())
            names = {name: name.capitalize() for name in judges}
            suited = suited_protocol(scene.conversation.dataset)
            _select("Judge by", names, chosen.protocol or NO_JUDGE, "judge", f"{about}.", default=suited)
        _toggle("Priority instruction", chosen.priority, "priority", OFF, "Section 5.3: newer statements come first.")
        _toggle(
            "Also without the graph",
            chosen.without_graph,
            "graphless",
            ON,
            "Section 5.3: a card more for each method that has a graph, from its anchors alone.",
        )


def _select(label: str, options: Mapping[str, str], value: str, name: str, about: str, default: str = "") -> None:
    key = state.put(f"answers.{name}", value)
    st.selectbox(
        label,
        list(options),
        format_func=lambda option: options.get(option, option),
        key=key,
        help=about,
        width=190,
        on_change=lambda: state.note(name, "" if st.session_state[key] == default else st.session_state[key]),
    )


def _toggle(label: str, value: bool, name: str, deviating: str, about: str) -> None:
    """A toggle that stands in the address where it is not as usual."""
    key = state.put(f"answers.{name}", value)
    usual = deviating == OFF

    def note() -> None:
        state.note(name, "" if st.session_state[key] == usual else deviating)

    st.toggle(label, key=key, help=about, on_change=note)


def _to_cards(usually: tuple[str, ...]) -> None:
    named = tuple(name for name in TITLES if name in st.session_state["answers.cards"])
    state.note("cards", "" if named == usually else ",".join(named))


def whose(chosen: Choices, set_model: str) -> None:
    """Whose kept answers are looked at, where several models answered."""
    names = [set_model, *(name for name in cache.repliers("answer_") if name != set_model)]
    known = [name for name in names if name]
    if len(known) < 2:
        return
    st.selectbox(
        "Answers of",
        known,
        format_func=lambda name: f"{name} (set)" if name == set_model else name,
        key=state.put("answers.model", chosen.model if chosen.model in known else known[0]),
        width=320,
        help="The model that is set is asked. Of others the answers that the store holds are shown.",
        on_change=lambda: state.note(
            "model", "" if st.session_state["answers.model"] == set_model else st.session_state["answers.model"]
        ),
    )
