"""Labelling blind: question, gold and reply, and nothing of the method or of the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from cuemem.adapters.store import VerdictRecord
from cuemem.evaluation.judges import sample
from cuemem.text import counted
from cuemem.ui import cache, markup, state
from cuemem.ui.data import parts
from cuemem.ui.judging import held
from cuemem.ui.markup import html
from cuemem.workbench.judging import BLIND, AnswerName, Item
from cuemem.workbench.judging import label as keep_label
from cuemem.workbench.reviewing import gold_words

_MOST_SEED = 9_999_999


def label() -> None:
    """Choose a sample, and label it."""
    of = held.chosen()
    if of is None:
        return
    items = held.items(of)
    held.rest_of_run(of)
    if not items:
        markup.notice("No answer has come yet that could be labelled. Let the run go on, on the Runs page.")
        st.page_link("pages/runs.py", label="Runs", icon=":material/leaderboard:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = "Drawn at random. A larger sample begins with the smaller one, so that no label is lost."
        size = held.ask_number("size", "Sample size", min(held.SIZE, len(items)), len(items), about, _afresh)
        seed = held.ask_number("seed", "Seed", held.SEED, _MOST_SEED, "The same seed draws the same sample.", _afresh)
    drawn, people = sample(items, size, seed), held.known(of).people
    done = [it for it in drawn if it.name in people]
    markup.show(
        html(
            '<p class="cm-text"><b>{done} of {all}</b> labelled. Which method answered and what the judge said is '
            "not shown here, neither before nor after.</p>",
            done=f"{len(done):,}",
            all=f"{len(drawn):,}",
        )
    )
    st.progress(len(done) / len(drawn))
    _item(drawn, people)
    if len(done) == len(drawn):
        markup.notice("The whole sample is labelled.")
        st.button("See the agreement", key="judge.to_agree", type="primary", on_click=parts.go, args=("agree",))


def _afresh() -> None:
    state.note("item", "")


def _item(drawn: Sequence[Item], people: Mapping[AnswerName, VerdictRecord]) -> None:
    at = _place(drawn, people)
    item = drawn[at]
    said = people.get(item.name)
    elsewhere = said is not None and said.reason != BLIND
    yours = "" if said is None else ("right" if said.outcome == "correct" else "wrong")
    with st.container(border=True, key="cm-judge-item"):
        markup.show(
            html(
                '<p class="cm-label">{at} of {all}{yours}</p><p class="cmr-asked" dir="auto">{question}</p>'
                '<dl class="cmr-pair"><dt>Gold answer</dt><dd dir="auto">{gold}</dd>'
                '<dt>Reply</dt><dd dir="auto">{reply}</dd></dl>',
                at=f"{at + 1:,}",
                all=f"{len(drawn):,}",
                yours=f" · you said {yours}" if yours else "",
                question=item.row.question.text,
                gold=gold_words(item.row),
                reply=item.answer.text,
            )
        )
        if elsewhere:
            st.caption(
                "A person has judged this answer elsewhere with the verdict in sight, so it is no blind label."
            )
        with st.container(horizontal=True, key="cm-judge-keys"):
            _button("Previous", "P", _go, (at - 1,), disabled=at == 0)
            _button("Next", "N", _go, (at + 1,), disabled=at + 1 == len(drawn))
            _button("Right", "Y", _say, (drawn, at, True, people), disabled=elsewhere)
            _button("Wrong", "X", _say, (drawn, at, False, people), disabled=elsewhere)
            if yours:
                _button("Take back", "B", _say, (drawn, at, None, people), disabled=elsewhere)


def _button(words: str, key: str, does: object, args: tuple[object, ...], *, disabled: bool) -> None:
    name = words.lower().replace(" ", "_")
    st.button(words, key=f"judge.{name}", shortcut=key, on_click=does, args=args, disabled=disabled)  # type: ignore[arg-type]


def _place(drawn: Sequence[Item], people: Mapping[AnswerName, VerdictRecord]) -> int:
    """The one in the address, counted from 1, else the first without a label, else the last."""
    if state.current().extra("item"):
        return held.number("item", 1, len(drawn)) - 1
    return next((at for at, it in enumerate(drawn) if it.name not in people), len(drawn) - 1)


def _go(at: int) -> None:
    state.note("item", str(at + 1))


def _say(drawn: Sequence[Item], at: int, correct: bool | None, people: Mapping[AnswerName, VerdictRecord]) -> None:
    """Keep the label, and go on to the next one without a label, or to the next."""
    keep_label(cache.workbench().store, drawn[at], correct)
    if correct is None:
        _go(at)
        return
    later = [place for place in range(at + 1, len(drawn)) if drawn[place].name not in people]
    _go(later[0] if later else min(at + 1, len(drawn) - 1))


def left_out(people: Mapping[AnswerName, VerdictRecord]) -> str:
    """What is said of labels that were not given blind; empty where all were."""
    count = sum(it.reason != BLIND for it in people.values())
    if not count:
        return ""
    return f"{counted(count, 'answer')} judged by a person with the verdict in sight (on Answers) left out."
