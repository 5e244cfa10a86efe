"""Problems: what was wrong with the files, each with its place; what is merely peculiar stands apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import streamlit as st

from cuemem.problems import INFORMATIONAL, MEANINGS
from cuemem.text import counted
from cuemem.types import Problem
from cuemem.ui import cache, markup, state, tables
from cuemem.ui.controls import put
from cuemem.ui.data import parts

_COLUMNS = ("file", "conversation", "question", "kind", "place", "detail")
_WRONG, _PECULIAR = "problems", "notes"


def problems() -> None:
    """A table of kinds with their meaning, and the problems of the chosen kinds."""
    if not cache.workbench().store.files():
        parts.nothing_loaded()
        return
    found = _found(parts.chosen_file("problems.file"))
    if not found:
        markup.notice("Nothing was wrong and nothing was peculiar: every turn, question and citation could be used.")
        return
    weight = _weight(found)
    shown = [(file, it) for file, it in found if (it.kind in INFORMATIONAL) == (weight == _PECULIAR)]
    if not shown:
        markup.notice(f"There are no {weight} here.")
        return
    kinds = Counter(it.kind for _, it in shown)
    _meanings(kinds)
    chosen = _kinds(kinds)
    rows = [row_of(file, it) for file, it in shown if not chosen or it.kind in chosen]
    about = "Problems with file, conversation, question, kind, place and what was done"
    config = {
        "file": st.column_config.TextColumn(width="medium"),
        "detail": st.column_config.TextColumn(width="large"),
    }
    tables.show(rows, _COLUMNS, about, column_config=config)
    tables.csv_button(rows, _COLUMNS, weight, "problems.csv")


def _found(sha256: str) -> list[tuple[str, Problem]]:
    store = cache.workbench().store
    files = [file for file in store.files() if sha256 in (parts.EVERY_FILE, file.sha256)]
    return [(file.name, problem) for file in files for problem in store.file_problems(file.sha256)]


def row_of(file: str, problem: Problem) -> dict[str, Any]:
    """A problem as a row of the table."""
    return {
        "file": file,
        "conversation": problem.sample_id,
        "question": problem.question_index,
        "kind": problem.kind,
        "place": problem.place,
        "detail": problem.detail,
    }


def _weight(found: Sequence[tuple[str, Problem]]) -> str:
    """Problems or notes; the notes only where they are asked for, or are all there is."""
    notes = sum(it.kind in INFORMATIONAL for _, it in found)
    counts = {_WRONG: len(found) - notes, _PECULIAR: notes}
    wanted = state.current().extra("weight", _WRONG if counts[_WRONG] else _PECULIAR)
    key = put("problems.weight", wanted if wanted in counts else _WRONG)
    titles = {
        _WRONG: f"Changed or not usable ({counts[_WRONG]:,})",
        _PECULIAR: f"Peculiar, used as it is ({counts[_PECULIAR]:,})",
    }
    chosen = st.segmented_control(
        "What to look at",
        list(counts),
        format_func=lambda name: titles[name],
        key=key,
        required=True,
        label_visibility="collapsed",
        on_change=_to_weight,
        args=(key,),
    )
    return str(chosen)


def _to_weight(key: str) -> None:
    state.note("weight", st.session_state[key] or "")
    state.note("kinds", "")


def _meanings(kinds: Counter[str]) -> None:
    meanings = {str(kind): meaning for kind, meaning in MEANINGS.items()}
    rows = [
        markup.html(
            "<tr><th scope='row'>{kind}</th><td class='cm-number'>{count:,}</td><td>{meaning}</td></tr>",
            kind=kind,
            count=count,
            meaning=meanings.get(kind, ""),
        )
        for kind, count in kinds.most_common()
    ]
    markup.show(
        markup.html(
            "<table class='cm-table'><thead><tr><th scope='col'>Kind</th><th scope='col' class='cm-number'>{how_many}"
            "</th><th scope='col'>What it means</th></tr></thead><tbody>{rows}</tbody></table>",
            how_many="Count",
            rows=markup.join(rows),
        )
    )


def _kinds(kinds: Counter[str]) -> list[str]:
    if len(kinds) < 2:
        return []
    wanted = [kind for kind in state.current().extra("kinds").split(",") if kind in kinds]
    return st.multiselect(
        "Show only",
        sorted(kinds),
        format_func=lambda kind: f"{kind} ({kinds[kind]:,})",
        key=put("problems.kinds", wanted),
        placeholder=f"All {counted(len(kinds), 'kind')}",
        on_change=_to_kinds,
    )


def _to_kinds() -> None:
    state.note("kinds", ",".join(st.session_state["problems.kinds"]))
