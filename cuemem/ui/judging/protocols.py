"""Strict against generous on the same answers: how much of an accuracy is the protocol's."""

from __future__ import annotations

import streamlit as st

from cuemem.evaluation.judge import PROTOCOLS
from cuemem.evaluation.judges import agreement
from cuemem.types import JudgeProtocol
from cuemem.ui import markup, state
from cuemem.ui.judging import drawn, held
from cuemem.ui.judging.asking import ask
from cuemem.ui.judging.drawn import Voice
from cuemem.ui.judging.held import Pool
from cuemem.ui.markup import html
from cuemem.workbench.rejudging import Asking

_BOTH: tuple[JudgeProtocol, ...] = ("strict", "generous")


def protocols() -> None:
    """Ask for verdicts by the other protocol, and compare what there is."""
    of = held.chosen()
    if of is None:
        return
    items = held.items(of)
    held.rest_of_run(of)
    if not items:
        markup.notice("No answer has come yet that could be judged. Let the run go on, on the Runs page.")
        return
    own = of.judging.protocol if of.judging else None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        other = _other([name for name in _BOTH if name != own])
        size = held.ask_number(
            "answers", "Answers", len(items), len(items), "How many of them; fewer are drawn at random.", lambda: None
        )
    about = "" if own is None else f"The run was judged {own}: {PROTOCOLS[own]}. "
    markup.show(
        html(
            '<p class="cm-quiet">{own}{other}: {words}.</p>',
            own=about,
            other=other.capitalize(),
            words=PROTOCOLS[other],
        )
    )
    asking = Asking(of.run_ids, other, size, held.number("seed", held.SEED, 9_999_999))
    ask(of, asking, f"Judging {size:,} answers, {other}")
    _compared(of, other)


def _other(names: list[JudgeProtocol]) -> JudgeProtocol:
    named = state.current().extra("protocol")
    name = named if named in names else names[0]
    if len(names) > 1:
        key = state.put("judge.protocol", name)
        st.selectbox(
            "Protocol",
            names,
            format_func=str.capitalize,
            key=key,
            width=170,
            on_change=lambda: state.note("protocol", st.session_state[key]),
        )
    return name


def _compared(of: Pool, other: JudgeProtocol) -> None:
    """The run's verdicts against those by the other protocol, for each model that gave any."""
    found = held.known(of)
    table, kept = {}, {}
    for (model, protocol), said in sorted(found.judges.items()):
        if protocol != other:
            continue
        rows = [(it, it.row.verdict, said[it.name]) for it in held.items(of) if it.row.verdict and it.name in said]
        if not rows:
            continue
        ones = [Voice(verdict.outcome, verdict.reason) for _, verdict, _ in rows]
        others = [Voice(record.outcome, record.reason) for _, _, record in rows]
        name = f"{model}, {protocol}"
        table[name] = agreement([it.outcome for it in ones], [it.outcome for it in others])
        kept[name] = ([it for it, _, _ in rows], ones, others)
    if not table or of.judging is None:
        if not table:
            markup.notice(f"No verdict by {other} is kept yet for answers that the run has a verdict on.")
        return
    mine = f"{of.judging.model}, {of.judging.protocol}"
    changed = [f"{name} is another model, so not only the protocol differs." for name in table if not _same(name, of)]
    drawn.agreements(f"The other protocol against the run's, {mine}", table, "the run", changed)
    name = f"{of.judging.model}, {other}" if f"{of.judging.model}, {other}" in table else next(iter(table))
    items, ones, others = kept[name]
    drawn.confusion(table[name], of.judging.protocol, other)
    voices = {of.judging.protocol.capitalize(): ones, other.capitalize(): others}
    drawn.disagreements(items, voices, table[name].apart, "Judged differently", "judge.differ")


def _same(name: str, of: Pool) -> bool:
    return of.judging is not None and name.rpartition(", ")[0] == of.judging.model
