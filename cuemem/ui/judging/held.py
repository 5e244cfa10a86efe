"""The answers under test, as the address names them, and what the store holds of them.

Runs are called by the part of their id that says nothing of the method, so that labelling stays blind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.evaluation.run import JudgeSetup
from cuemem.text import counted
from cuemem.ui import cache, markup, state
from cuemem.ui.runs import held as runs
from cuemem.workbench.judging import Item, Said, pool, said
from cuemem.workbench.runs.reading import Listed

SIZE, SEED = 30, 1


@dataclass(frozen=True, slots=True)
class Pool:
    """Runs whose answers are tested together; ``name`` is theirs in the address. One judge judged them all."""

    name: str
    words: str
    run_ids: tuple[str, ...]
    judging: JudgeSetup | None
    dataset: str


def pools() -> list[Pool]:
    """Runs that were begun together and share a judge, then each run by itself; the newest first."""
    answered = [run for run in runs.runs() if run.card.answering is not None]
    made: list[Pool] = []
    for group in dict.fromkeys(name for run in answered for name in run.card.groups):
        members = [run for run in answered if group in run.card.groups]
        if len(members) > 1 and len({str(run.card.judging) for run in members}) == 1:
            made.append(_pool(group, f"{len(members)} runs begun together", members))
    return [*made, *(_pool(_neutral(run.run_id), "one run", [run]) for run in answered)]


def _pool(name: str, what: str, members: Sequence[Listed]) -> Pool:
    first = members[0]
    count = counted(first.card.questions.count, "question")
    return Pool(
        name=name,
        words=f"{first.card.dataset}, {count}, {what} {first.begun:%Y-%m-%d %H:%M} ({name})",
        run_ids=tuple(run.run_id for run in members),
        judging=first.card.judging,
        dataset=first.card.dataset,
    )


def _neutral(run_id: str) -> str:
    return run_id.rpartition("-")[2]


def chosen() -> Pool | None:
    """Draw the choice of a pool, and give the one that is chosen; None, and the way on, where there is none."""
    found = pools()
    if not found:
        markup.notice(
            "There is no run with answers yet, so no judge to test. Begin a run with a language model that answers "
            "and one that judges."
        )
        there = {"page.part": "start"}
        st.page_link("pages/runs.py", label="Start a run", icon=":material/leaderboard:", query_params=there)
        return None
    by_name = {it.name: it for it in found}
    named = state.current().extra("pool")
    key = state.put("judge.pool", named if named in by_name else found[0].name)
    st.selectbox(
        "Answers of",
        list(by_name),
        format_func=lambda name: by_name[name].words,
        key=key,
        on_change=_to_pool,
        args=(key,),
        help="Which methods these runs are of is not said here, so that labels stay blind.",
    )
    return by_name[st.session_state[key]]


def _to_pool(key: str) -> None:
    state.note("pool", st.session_state[key])
    state.note("item", "")


def items(of: Pool) -> tuple[Item, ...]:
    """The answers of a pool that can be judged."""
    return _items(str(default_store_path()), cache.workbench().store.commits, of)


@st.cache_resource(show_spinner=False, max_entries=4)
def _items(path: str, commits: int, of: Pool) -> tuple[Item, ...]:
    return pool([runs.run(run_id) for run_id in of.run_ids])


def known(of: Pool) -> Said:
    """All that was said of them."""
    return _known(str(default_store_path()), cache.workbench().store.commits_of("labels"), of)


@st.cache_resource(show_spinner=False, max_entries=4)
def _known(path: str, commits: tuple[int, ...], of: Pool) -> Said:
    return said(cache.workbench().store, items(of))


def number(name: str, usual: int, most: int) -> int:
    """A number of the address, at least 1."""
    said_ = state.current().extra(name)
    wanted = int(said_) if said_.isascii() and said_.isdigit() and len(said_) < 8 else usual
    return max(1, min(wanted, most))


def ask_number(
    name: str, label: str, usual: int, most: int, about: str, then: Callable[[], None] = lambda: None
) -> int:
    """Draw a number that is kept in the address."""
    value = number(name, usual, most)
    key = state.put(f"judge.{name}", value)

    def changed() -> None:
        state.note(name, str(st.session_state[key] or ""))
        then()

    st.number_input(label, 1, most, key=key, help=about, width=170, on_change=changed)
    return value


def rest_of_run(of: Pool) -> None:
    """Say so while the runs are going on, or are not at their end."""
    open_ = [run for run in runs.runs() if run.run_id in of.run_ids and run.state != "done"]
    if open_:
        words = f"{open_[0].state_words} in {counted(len(open_), 'run')}"
        markup.show(
            markup.html('<p class="cm-quiet">Not at their end: {words}. What is there so far:</p>', words=words)
        )
