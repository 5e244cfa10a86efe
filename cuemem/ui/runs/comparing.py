"""Two runs against each other: the flips, whether they are more than noise, and each question behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.evaluation.contrast import KINDS, Contrast, Pair, contrast
from cuemem.evaluation.contrast_tables import difference_table, flip_table, p_value
from cuemem.evaluation.tables import labels
from cuemem.ui import cache, markup, state, tables
from cuemem.ui.cues.picking import pick_table
from cuemem.ui.data import parts
from cuemem.ui.runs import drawn, held
from cuemem.ui.runs.pair import pair_card

EVERY = "all"
_COLUMNS = ("became", "conversation", "question", "category", "asked", "gold lost", "tokens A", "tokens B")


def compare() -> None:
    """Choose A and B; what became of each question from the one to the other."""
    found = held.runs()
    if len(found) < 2:
        markup.notice("It takes two runs to compare." if found else "Nothing has been run yet.")
        st.button("Start a run", key="runs.compare.start", on_click=parts.go, args=("start",), type="primary")
        return
    one, other = _two()
    if one == other:
        markup.notice("A and B are the same run. Choose another one for B.")
        return
    of = _contrast(str(default_store_path()), cache.workbench().store.commits, one, other)
    names = labels([held.run(one).card, held.run(other).card])
    for sentence in of.unlike:
        markup.notice(sentence, "warning")
    if not of.pairs:
        markup.notice("They have no question in common that both have a result of, so there is nothing to compare.")
        return
    _verdict(of)
    drawn.table(flip_table(of, f"{names[0]}", f"{names[1]}"))
    drawn.table(difference_table(of))
    if of.varied:
        with st.expander("What was chosen to differ"):
            markup.show(
                markup.html(
                    "<ul>{items}</ul>", items=markup.join([markup.html("<li>{it}</li>", it=it) for it in of.varied])
                )
            )
    _questions(of, one, other)


def _two() -> tuple[str, str]:
    """A and B, from the address, else the two newest of the runs that are looked at."""
    names = held.names()
    view = state.current()
    usual = [*held.chosen(), *(name for name in names if name not in held.chosen())]
    one = view.extra("a") if view.extra("a") in names else usual[0]
    rest = [name for name in usual if name != one]
    other = view.extra("b") if view.extra("b") in names else rest[0]
    left, right = st.columns(2, gap="large")
    for column, label, name, value in ((left, "A, before", "a", one), (right, "B, after", "b", other)):
        with column:
            key = state.put(f"runs.compare.{name}", value)
            st.selectbox(
                label,
                list(names),
                format_func=lambda run_id: f"{names[run_id]} · {run_id}",
                key=key,
                on_change=_to,
                args=(name, key),
            )
    return one, other


def _to(name: str, key: str) -> None:
    state.note(name, st.session_state[key])
    state.note("pair", "")


@st.cache_resource(show_spinner=False, max_entries=4)
def _contrast(path: str, commits: int, one: str, other: str) -> Contrast:
    before, after = held.run(one), held.run(other)
    return contrast((before.card, before.rows), (after.card, after.rows))


def _verdict(of: Contrast) -> None:
    """The headline in words: fixed against broken, and whether so uneven a split is likely by chance."""
    it = of.headline
    p = p_value(it.p)
    if it.fixed + it.broken == 0:
        words = "Not one answerable question came out differently."
    elif it.p < 0.05:
        better = "B is better" if it.fixed > it.broken else "A is better"
        words = f"{better}: so uneven a split would be rare if neither were (McNemar's exact p {p})."
    else:
        words = f"That may be chance: McNemar's exact p is {p}."
    markup.show(
        markup.html(
            '<p class="cmr-flips"><span class="cmr-good"><b>{fixed}</b>fixed</span><span class="cmr-bad">'
            "<b>{broken}</b>broken</span><span><b>{right}</b>right in both</span>"
            "<span><b>{wrong}</b>wrong in both</span></p>"
            '<p class="cm-text">{words}</p>',
            fixed=it.fixed,
            broken=it.broken,
            right=it.both_right,
            wrong=it.both_wrong,
            words=words,
        )
    )


def _questions(of: Contrast, one: str, other: str) -> None:
    """The questions, filtered, and the one that is chosen."""
    st.subheader("Questions", anchor=False)
    pairs = _filtered(of.pairs)
    if not pairs:
        markup.notice("No question is left by these filters.")
        return
    names = [_name(pair) for pair in pairs]
    chosen = state.current().extra("pair")
    at = names.index(chosen) if chosen in names else None
    rows = [_row(pair) for pair in pairs]
    pick_table(
        "runs.pairs",
        tables.frame(rows, _COLUMNS),
        at,
        lambda place: state.note("pair", "" if place is None else names[place]),
        height=tables.height(min(len(rows), 9)),
        alt="The questions, what became of each, and where gold was lost; choose one to see both answers",
        columns={"asked": st.column_config.TextColumn(width="large")},
    )
    tables.csv_button(rows, _COLUMNS, f"{one}-against-{other}", "runs.pairs.csv")
    if at is not None:
        pair_card(pairs[at], held.run(one), held.run(other))
    else:
        st.caption("Choose a question to see both answers, their verdicts, and the way to Trace and Answers.")


def _filtered(pairs: Sequence[Pair]) -> list[Pair]:
    """The questions that the filters leave; the filters stand in the address."""
    categories = sorted({pair.category for pair in pairs})
    stages = sorted({stage for pair in pairs for stage in pair.stages})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = _select("became", "Became", [EVERY, *KINDS])
        category = _select("category", "Category", [EVERY, *categories])
        stage = _select("stage", "Gold lost", [EVERY, *stages])
    return [
        pair
        for pair in pairs
        if kind in (EVERY, pair.kind)
        and category in (EVERY, pair.category)
        and (stage == EVERY or stage in pair.stages)
    ]


def _select(name: str, label: str, options: Sequence[str]) -> str:
    said = state.current().extra(name)
    key = state.put(f"runs.filter.{name}", said if said in options else EVERY)
    st.selectbox(
        label,
        options,
        format_func=str.capitalize,
        key=key,
        width=200,
        on_change=lambda: state.note(name, "" if st.session_state[key] == EVERY else st.session_state[key]),
    )
    return str(st.session_state[key])


def _name(pair: Pair) -> str:
    return f"{pair.before.conversation_id}:{pair.before.question.index}"


def _row(pair: Pair) -> dict[str, Any]:
    return {
        "became": pair.kind,
        "conversation": pair.before.conversation,
        "question": pair.before.question.index,
        "category": pair.category,
        "asked": pair.before.question.text,
        "gold lost": ", ".join(pair.stages),
        "tokens A": pair.before.retrieval.tokens,
        "tokens B": pair.after.retrieval.tokens,
    }
