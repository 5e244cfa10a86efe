"""One failure: what was asked and said, what the machine proposes and why, and the keys to decide by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from cuemem.evaluation.failures import CLASSES, FailureClass, Measure
from cuemem.ui import cache, markup, state
from cuemem.ui.failures import held
from cuemem.ui.markup import Html, html, join
from cuemem.ui.runs.pair import found_words, run_links
from cuemem.workbench.reviewing import Failure, decide, gold_words
from cuemem.workbench.runs import Run

RIGHT: FailureClass = "right but judged wrong"
DISPUTED: FailureClass = "gold wrong or disputed"


def card(queue: Sequence[Failure], at: int, run: Run, measure: Measure) -> None:
    """Draw the failure at this place of the queue."""
    it = queue[at]
    with st.container(border=True, key="cm-failure"):
        markup.show(_said(it, at, len(queue)))
        _keys(queue, at, measure)
        _class(it)
        run_links(it.row, run, "the run")


def _said(it: Failure, at: int, count: int) -> Html:
    row = it.row
    verdict = row.verdict
    facts = {
        "Gold answer": gold_words(row),
        "Answer": "" if row.answer is None else (str(row.answer.failure) if row.answer.failure else row.answer.text),
        "Verdict": f"{verdict.outcome}: {verdict.reason}" if verdict else "",
        "A person says": "" if it.person is None else ("right" if it.person else "wrong"),
        "Gold found": found_words(row),
        "Context": f"{row.retrieval.turns:,} turns, {row.retrieval.tokens:,} tokens",
        "Proposed": f"{it.proposal.kind}. {it.proposal.why}",
        "Decided": _decided(it),
        "Note": it.note,
    }
    lines = [
        html('<dt>{name}</dt><dd dir="auto">{words}</dd>', name=name, words=words)
        for name, words in facts.items()
        if words
    ]
    return html(
        '<p class="cm-label">{at} of {count} · {conversation}, question {index} · {category}{flag}</p>'
        '<p class="cmr-asked" dir="auto">{text}</p><dl class="cmr-pair">{lines}</dl>',
        at=f"{at + 1:,}",
        count=f"{count:,}",
        conversation=row.conversation,
        index=row.question.index,
        category=it.category,
        flag=" · you flagged its gold" if it.flag else "",
        text=row.question.text,
        lines=join(lines),
    )


def _decided(it: Failure) -> str:
    if it.stale:
        return "an earlier answer of this run was decided on; this one is another"
    return it.decided or ""


def _keys(queue: Sequence[Failure], at: int, measure: Measure) -> None:
    """The whole work by keyboard: each button has its key on it."""
    it = queue[at]
    answered = measure == "evidence" or (it.row.answer is not None and not it.row.answer.failure)
    passes = DISPUTED if measure == "evidence" else RIGHT
    with st.container(horizontal=True, key="cm-failure-keys"):
        _button("Previous", "P", _step, (-1,), disabled=at == 0)
        _button("Next", "N", _step, (1,), disabled=at + 1 == len(queue))
        _button("Pass", "Y", _decide, (queue, at, passes), disabled=not answered, help=_PASS[measure])
        _button("Fail", "X", _decide, (queue, at, it.if_wrong), help=f"It is wrong indeed: {it.if_wrong}.")
        label = "Unflag gold" if it.flag else "Flag gold"
        _button(label, "F", _keep, (it, {"flag": not it.flag}), help="The gold of this question is doubted.")
        if st.button("Note", key="failures.note", shortcut="M", on_click=state.touch):
            _note(it)


_PASS = {
    "verdicts": "The answer is right: the judge was wrong.",
    "evidence": "The lost turns are not needed: the gold is disputed.",
}


def _button(label: str, key: str, does: Any, args: tuple[Any, ...], **more: Any) -> None:
    name = label.lower().split()[0].replace("unflag", "flag")
    st.button(label, key=f"failures.{name}", shortcut=key, on_click=does, args=args, **more)


def _go(queue: Sequence[Failure], at: int) -> None:
    state.note("item", held.name(queue[at]))


def _step(by: int) -> None:
    """From the failure that the address names, which a second press may change before the page is drawn again."""
    queue = held.filtered(held.of(held.chosen_run()))
    if queue:
        _go(queue, min(max(held.place(queue) + by, 0), len(queue) - 1))


def _decide(queue: Sequence[Failure], at: int, kind: FailureClass) -> None:
    """Keep the class and go on to the next one that is not decided, or to the next."""
    _keep(queue[at], {"decided": kind})
    later = [place for place in range(at + 1, len(queue)) if queue[place].decided is None]
    _go(queue, later[0] if later else min(at + 1, len(queue) - 1))


def _keep(it: Failure, said: dict[str, Any]) -> None:
    state.touch()
    decide(cache.workbench().store, it, **said)
    state.note("item", held.name(it))


def _class(it: Failure) -> None:
    """Another class than the one that is proposed, or none again."""
    key = state.put("failures.class", it.decided)
    st.selectbox(
        "Your class",
        CLASSES,
        format_func=str.capitalize,
        index=None,
        placeholder="not decided yet",
        key=key,
        width=280,
        on_change=lambda: _keep(it, {"decided": st.session_state[key]}),
    )


# A dialog that opens has the focus itself; what is typed would then be taken for the keys of the page behind it.
_FOCUS = """<script>
for (const wait of [0, 100, 300, 600])
  setTimeout(() => document.querySelector('[role=dialog] textarea')?.focus(), wait)
</script>"""


@st.dialog("Note")
def _note(it: Failure) -> None:
    with st.form("failures.noting", border=False):
        st.text_area("What is to be remembered of this failure?", it.note, key="failures.words", max_chars=2000)
        if st.form_submit_button("Keep", type="primary", on_click=_noted, args=(it,)):
            state.redraw()
    st.html(_FOCUS, unsafe_allow_javascript=True)


def _noted(it: Failure) -> None:
    _keep(it, {"note": str(st.session_state["failures.words"]).strip()})
