"""The whole page: which run, how many of each class, the queue, and all of it as a table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.evaluation.failures import ABOUT, CLASSES, Measure, counts
from cuemem.text import counted
from cuemem.ui import cache, markup, state, tables
from cuemem.ui.cues.picking import pick_table
from cuemem.ui.failures import held
from cuemem.ui.failures.card import card
from cuemem.ui.markup import html, join
from cuemem.ui.runs import held as runs
from cuemem.workbench.reviewing import COLUMNS, Failure, measure_of, table

_SHORT = ("class", "conversation", "question", "asked", "category", "decided", "note")


def page() -> None:
    """Draw it; without a run, or without a failure, the one next thing to do."""
    if not runs.runs():
        markup.notice("Nothing has been run yet, so nothing can have failed. Start a run first; it takes one step.")
        there = {"page.part": "start"}
        st.page_link("pages/runs.py", label="Start a run", icon=":material/leaderboard:", query_params=there)
        return
    run_id = held.chosen_run()
    _run(run_id)
    found = held.of(run_id)
    measure = measure_of(runs.run(run_id).card)
    _about(run_id, measure, found)
    if not found:
        return
    _counts(found)
    queue = _filters(found)
    if not queue:
        markup.notice("No failure passes these filters.")
        st.button("Show all", key="failures.all", on_click=_show_all)
        return
    at = held.place(queue)
    card(queue, at, runs.run(run_id), measure)
    _table(queue, at, run_id)


def _run(run_id: str) -> None:
    names = runs.names()
    if (asked := state.current().extra("run")) and asked != run_id:
        markup.notice(f"There is no run {asked} in this store; it may have been removed.", "warning")
    key = state.put("failures.run", run_id)
    st.selectbox(
        "Run",
        list(names),
        format_func=lambda name: f"{names[name]} · {name}",
        key=key,
        on_change=_to_run,
        args=(key,),
    )


def _to_run(key: str) -> None:
    for name in ("class", "category", "show", "item"):
        state.note(name, "")
    state.note("run", st.session_state[key])


def _about(run_id: str, measure: Measure, found: Sequence[Failure]) -> None:
    """What counts as a failure here, and how far the run is."""
    listed = next(run for run in runs.runs() if run.run_id == run_id)
    busy = any(job.active and run_id in job.details["runs"] for job in cache.jobs().jobs("evaluate"))
    rows = len(runs.run(run_id).rows)
    if measure == "verdicts":
        words = f"{len(found):,} of {counted(rows, 'question')} are not judged right."
    else:
        words = (
            f"The run has no verdicts, so its failures are the gold turns it did not find: "
            f"in {len(found):,} of {counted(rows, 'question')}."
        )
    if listed.state != "done":
        words += f" The run is {'going on' if busy else 'not at its end'} ({listed.state_words}): so far."
    elif not found:
        words = "This run has no failure. Choose another one, or begin one on the Runs page."
    markup.show(html('<p class="cm-text">{words}</p>', words=words))
    if (listed.state != "done" and not busy) or not found:
        st.page_link("pages/runs.py", label="Runs", icon=":material/leaderboard:", query_params={"page.runs": run_id})


def _counts(found: Sequence[Failure]) -> None:
    """A row a class: as it stands, as proposed, as decided."""
    stands, proposed = counts(it.kind for it in found), counts(it.proposal.kind for it in found)
    decided = counts(it.decided for it in found if it.decided)
    most = max(stands.values())
    rows = [
        html(
            '<tr><th scope="row">{kind}<span class="cmf-about">{about}</span></th>'
            '<td class="cmf-bar"><span style="width:{share}%"></span></td><td class="cm-number">{stands}</td>'
            '<td class="cm-number">{proposed}</td><td class="cm-number">{decided}</td></tr>',
            kind=kind.capitalize(),
            about=ABOUT[kind],
            share=round(100 * stands.get(kind, 0) / most),
            stands=stands.get(kind, 0),
            proposed=proposed.get(kind, 0),
            decided=decided.get(kind, 0),
        )
        for kind in sorted(CLASSES, key=lambda kind: -stands.get(kind, 0))
        if stands.get(kind) or proposed.get(kind)
    ]
    total = sum(decided.values())
    markup.show(
        html(
            '<div class="cmr-wide" tabindex="0"><table class="cm-table cmf-counts"><thead><tr>'
            '<th scope="col">Class</th><th></th><th scope="col" class="cm-number">As it stands</th>'
            '<th scope="col" class="cm-number">Proposed</th><th scope="col" class="cm-number">Decided</th></tr>'
            "</thead><tbody>{rows}</tbody></table></div>"
            '<p class="cm-quiet">The machine proposes, a person decides; both stay. Decided: {total} of {all}.</p>',
            rows=join(rows),
            total=f"{total:,}",
            all=f"{len(found):,}",
        )
    )


def _filters(found: Sequence[Failure]) -> list[Failure]:
    categories = sorted({it.category for it in found})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _select("class", "Class", [held.EVERY, *held.classes(found)])
        _select("category", "Category", [held.EVERY, *categories])
        _select("show", "Shown", list(held.SHOWN))
    return held.filtered(found)


def _select(name: str, label: str, options: Sequence[str]) -> None:
    said = state.current().extra(name)
    if said not in options:
        said = held.EVERY
    words = held.SHOWN if name == "show" else {held.EVERY: "all"}
    key = state.put(f"failures.filter.{name}", said)
    st.selectbox(
        label,
        options,
        format_func=lambda option: words.get(str(option), str(option)).capitalize(),
        key=key,
        width=240,
        on_change=_to_filter,
        args=(name, key),
    )


def _to_filter(name: str, key: str) -> None:
    state.note(name, st.session_state[key])
    state.note("item", "")


def _show_all() -> None:
    for name in ("class", "category", "show"):
        state.note(name, "")


def _table(queue: Sequence[Failure], at: int, run_id: str) -> None:
    """The queue as a table to choose from, and all columns as a file."""
    rows = [
        {
            "class": it.kind,
            "conversation": it.row.conversation,
            "question": it.row.question.index,
            "asked": it.row.question.text,
            "category": it.category,
            "decided": "yes" if it.decided else "",
            "note": ("gold flagged. " if it.flag else "") + it.note,
        }
        for it in queue
    ]
    names = [held.name(it) for it in queue]
    pick_table(
        "failures.table",
        tables.frame(rows, _SHORT),
        at,
        lambda place: state.note("item", "" if place is None else names[place]),
        height=tables.height(min(len(rows), 9)),
        alt="The failures in the order of the queue, with their class; choose one to look at it",
        columns={"asked": st.column_config.TextColumn(width="large")},
    )
    st.download_button(
        "CSV",
        lambda: _csv(queue),
        file_name=f"{run_id}-failures.csv",
        mime="text/csv",
        key="failures.csv",
        icon=":material/download:",
        on_click="ignore",
        help="The failures that the filters leave, with what was proposed and what was decided.",
    )


def _csv(queue: Sequence[Failure]) -> bytes:
    text: str = tables.frame(table(queue), COLUMNS).to_csv(index=False)
    return text.encode()
