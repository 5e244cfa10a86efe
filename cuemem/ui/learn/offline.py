"""Steps 1 to 4, made once and in advance: turns, cues, temporal edges, semantic edges."""

from __future__ import annotations

from collections import Counter

from streamlit.delta_generator import DeltaGenerator

from cuemem.methods.cuemem.graph import in_window
from cuemem.text import counted
from cuemem.types import Turn
from cuemem.ui import cache
from cuemem.ui.chat.text import day
from cuemem.ui.learn import comparison, exercises, facts
from cuemem.ui.learn.controls import cue_select, exercise, knob_panel, turn_select, turn_slider
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.learn.pieces import Ranked, bar, cue_table, paragraph, ranked_table, strip, turn_card
from cuemem.ui.learn.words import listed, short
from cuemem.ui.markup import Html, html, join, notice, show
from cuemem.workbench.sources import ABOUT

_NUMBERS = 6  # of a vector, to be seen


def card(lecture: Lecture, turn: Turn, focus: bool = True) -> Html:
    """A turn as it was said, with what it costs."""
    tokens = cache.workbench().tokens.count(turn.text)
    return turn_card(turn, len(lecture.memory.turns), tokens, lecture.gold, focus)


def _around(lecture: Lecture) -> None:
    """The turn that is looked at between its neighbours."""
    at = lecture.focus.index
    near = lecture.memory.turns[max(0, at - 1) : at + 2]
    show(join([card(lecture, turn, turn.index == at) for turn in near]))


def turns(lecture: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Step 1: three turns as they were said."""
    everything = lecture.memory.turns
    with left:
        _around(lecture)
    with right:
        turn_slider(lecture)
        first, last = everything[0].time, everything[-1].time
        span = f" from {day(first)} to {day(last)}" if first and last else ""
        history = comparison.history_tokens(lecture)
        sessions = len({turn.session for turn in everything})
        show(
            paragraph(
                f"Here T = {len(everything):,}: {counted(len(everything), 'turn')} in "
                f"{counted(sessions, 'session')}{span}. In this memory a turn is one {lecture.scene.view.turns}."
            )
        )
        if lecture.gold:
            places = [f"{it}, turn {lecture.scene.turns[it].index + 1:,}" for it in lecture.gold]
            show(paragraph(f"The answer lies in {listed(places)}. The question itself does not say where to look."))
        exercise(exercises.whole_history(len(everything), history, facts.here(lecture)), "turns")


def cues(lecture: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Step 2: the cues of a turn."""
    graph, turn = lecture.graph, lecture.focus
    counts = Counter(len(graph.cues_of(it.index)) for it in lecture.memory.turns)
    with_cue = len(lecture.memory.turns) - counts[0]
    with left:
        turn_select(lecture)
        show(card(lecture, turn))
        found = lecture.cues_of(turn)
        show(cue_table(found))
        if found:
            vector = lecture.memory.vectors[found[0].index]
            numbers = ", ".join(f"{number:.3f}" for number in vector[:_NUMBERS].tolist()).replace("-", "−")
            show(paragraph(f"The first of them as a vector, {len(vector)} numbers: {numbers}, …", "cml-quiet"))
    with right:
        source = lecture.scene.view.cues or ""
        show(
            paragraph(
                f"This memory has N = {len(graph.cues):,} cues, which point to {with_cue:,} of "
                f"{counted(len(lecture.memory.turns), 'turn')}. Their source is “{source}”: "
                f"{ABOUT.get(source, source)}."
            )
        )
        show(_histogram(counts))
        _other_memories(lecture)
        exercise(exercises.without_cue(len(lecture.memory.turns), with_cue, facts.gold_without_cue(lecture)), "cues")


_MOST_CUES_SHOWN = 5


def _histogram(counts: Counter[int]) -> Html:
    """How many turns have no cue, one, two …"""
    rows = [(str(number), counts[number]) for number in range(_MOST_CUES_SHOWN)]
    rows.append(
        (f"{_MOST_CUES_SHOWN} or more", sum(it for number, it in counts.items() if number >= _MOST_CUES_SHOWN))
    )
    most = max(count for _, count in rows) or 1
    cells = [
        html(
            '<tr><th scope="row">{name}</th><td class="cml-cosine"><span>{count:,}</span>{bar}</td></tr>',
            name=name,
            count=count,
            bar=bar(count / most),
        )
        for name, count in rows
    ]
    return html(
        '<table class="cml-table"><thead><tr><th scope="col">cues of a turn</th>'
        '<th scope="col" class="cml-tokens">turns</th></tr></thead><tbody>{cells}</tbody></table>',
        cells=join(cells),
    )


def _other_memories(lecture: Lecture) -> None:
    others = [
        f"{it.cues} makes {it.record.cue_count:,}"
        for it in lecture.scene.choices
        if it.record and it.cues and it != lecture.scene.choice
    ]
    if others:
        show(
            paragraph(
                f"Other ways of making cues give other numbers: {listed(others)}. "
                "Choose another Memory in the sidebar, and every step shows it.",
                "cml-quiet",
            )
        )


def temporal(lecture: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Step 3: the turns before and after."""
    method, turn, everything = lecture.scene.method, lecture.focus, lecture.memory.turns
    reached = in_window(lecture.graph, turn.index, method)
    with left:
        turn_select(lecture)
        show(strip(everything, turn, reached, max(3, method.window + 1), lecture.gold))
        show(
            paragraph(
                f"From {turn.turn_id} temporal edges lead to "
                + (listed([everything[at].turn_id for at in sorted(reached)], 12) if reached else "no other turn")
                + f" (w = {method.window})."
            )
        )
        if any(everything[at].session != turn.session for at in reached):
            show(paragraph("Some of them lie in another session: to the line of turns that makes no difference."))
        _around(lecture)
    with right:
        knob_panel(lecture, "w")


def semantic(lecture: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Step 4: the nearest cues of a cue, and the edges they make."""
    with left:
        turn_select(lecture)
        cue_select(lecture)
        if lecture.focus_cue is None:
            notice(f"{lecture.focus.turn_id} has no cue, so no semantic edge leaves it. Choose another turn.")
        else:
            _nearest(lecture)
    with right:
        knob_panel(lecture, "k")


def _nearest(lecture: Lecture) -> None:
    cue, method, graph = lecture.focus_cue, lecture.scene.method, lecture.graph
    assert cue is not None
    near = graph.neighbours(method)
    rows = []
    for rank, (other, cosine) in enumerate(
        zip(near.rows[cue.index].tolist(), near.cosines[cue.index].tolist(), strict=True), 1
    ):
        if other < 0:
            continue
        target = graph.cues[other]
        kept = rank <= method.neighbours
        own = target.turn_id == cue.turn_id
        note = "the same turn: no edge" if own else f"an edge from {cue.turn_id}" if kept else ""
        rows.append(Ranked(rank, cosine, target.text, target.turn_id, kept, note))
    show(paragraph(f"The cues nearest to “{short(cue.text)}”, of {len(graph.cues) - 1:,} others:"))
    show(ranked_table(rows, lecture.gold, f"k = {method.neighbours}: what is below makes no edge"))
