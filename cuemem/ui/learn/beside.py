"""After the steps: one question by every method, where they differ and why, and all questions of the conversation."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from cuemem.text import counted
from cuemem.types import Explanation, Question, Step, TurnId
from cuemem.ui import state
from cuemem.ui.learn import words
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.learn.pieces import paragraph, turn_name
from cuemem.ui.learn.rivals import Overall, Rival, overall, rivals
from cuemem.ui.links import data
from cuemem.ui.markup import Html, html, join, show

_DIFFERING = 8  # questions to go to
_GENERAL = (
    "Two things to look at. How much each brings: neighbours of a hit cost tokens whether they matter or not, and "
    "short statements leave out whatever they do not say. And by what a turn is found: a single ranking loses what "
    "is said in other words; several rankings side by side lose what none of them has near the top."
)


def beside(told: Lecture, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """The lecture's method and each other one that has a memory of this conversation."""
    with st.spinner("Asking every method …"):
        found, lacking = rivals(told)
    if len(found) < 2:
        with left:
            show(paragraph(f"There is no memory of this conversation by {words.listed(lacking)} yet. Build one."))
            st.page_link(
                "pages/data.py",
                label="Build it on the Data page",
                icon=":material/construction:",
                query_params=data("build", told.scene.summary.conversation_id),
            )
        return
    with left:
        st.markdown("**This question**")
        show(_outcomes(found, len(told.gold)))
    with right:
        show(paragraph(_GENERAL))
    _turns(told, found)
    _gold_turn(told, found)
    _everything(told, found)


def _outcomes(found: Sequence[Rival], gold: int) -> Html:
    rows = [
        html(
            '<tr><th scope="row">{title}<br><span class="cml-quiet">{told}</span></th>'
            '<td class="cml-number">{turns:,}</td><td class="cml-number">{tokens:,}</td><td>{found}</td></tr>',
            title=it.title,
            told=it.told,
            turns=it.outcome.turns,
            tokens=it.outcome.tokens,
            found=words.found(it.outcome, gold),
        )
        for it in found
    ]
    return _table(("method", "turns", "tokens", "found"), rows, (1, 2))


def _table(heads: Sequence[str], rows: list[Html], numbers: Collection[int]) -> Html:
    cells = [
        html('<th scope="col" class="{look}">{head}</th>', look="cml-number" if at in numbers else "", head=head)
        for at, head in enumerate(heads)
    ]
    return html(
        '<div class="cml-wide"><table class="cml-table"><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table>'
        "</div>",
        cells=join(cells),
        rows=join(rows),
    )


def _turns(told: Lecture, found: Sequence[Rival]) -> None:
    """Every turn that some method brings, by which of them bring it."""
    st.markdown("**Which turns each brings**")
    held = [set(it.recall.context.turn_ids) for it in found]
    groups: dict[tuple[int, ...], list[TurnId]] = {}
    for turn in told.memory.turns:
        bringing = tuple(at for at, ids in enumerate(held) if turn.turn_id in ids)
        if bringing or turn.turn_id in told.gold:
            groups.setdefault(bringing, []).append(turn.turn_id)
    order = sorted(groups, key=lambda bringing: (not bringing, -len(bringing), bringing))
    drawn = [_group(told, found, it, groups[it]) for it in order]
    show(html('<div class="cml-groups">{groups}</div>', groups=join(drawn)))


def _group(told: Lecture, found: Sequence[Rival], bringing: tuple[int, ...], turns: Sequence[TurnId]) -> Html:
    titles = [found[at].title for at in bringing]
    name = (
        "Gold, and brought by none"
        if not titles
        else f"Brought by all: {words.listed(titles)}"
        if len(titles) == len(found)
        else f"Only {words.listed(titles)}"
    )
    chips = [
        html('<span class="cml-mini">{name}</span>', name=turn_name(turn, told.gold if turn in told.gold else ()))
        for turn in turns
    ]
    return html(
        '<section class="cml-turn"><p class="cml-task">{name} <span class="cml-quiet">{count}</span></p>'
        '<div class="cml-minis">{chips}</div></section>',
        name=name,
        count=counted(len(turns), "turn"),
        chips=join(chips),
    )


def _gold_turn(told: Lecture, found: Sequence[Rival]) -> None:
    """What became of one gold turn in each method, stage by stage."""
    if not told.gold:
        return
    held = [set(it.outcome.found) for it in found]
    differing = [turn for turn in told.gold if len({turn in ids for ids in held}) > 1]
    selected = told.scene.turn if told.scene.turn in told.gold else None
    turn_id = selected or (differing or list(told.gold))[0]
    with st.container(horizontal=True, vertical_alignment="center", key="cml-which-gold"):
        st.markdown("**What became of one gold turn**")
        for other in told.gold if len(told.gold) > 1 else ():
            st.button(
                other,
                key=f"learn.gold.{other}",
                type="primary" if other == turn_id else "secondary",
                on_click=state.change,
                kwargs={"turn": other},
            )
    turn = told.scene.turns[turn_id]
    show(html('<p class="cml-say" dir="auto">{name} {text}</p>', name=turn_name(turn_id, told.gold), text=turn.text))
    cards = [_became(it, it.explained(turn_id)) for it in found]
    show(html('<div class="cml-groups">{cards}</div>', cards=join(cards)))


def _became(rival: Rival, explained: Explanation) -> Html:
    noun = rival.scene.method.noun
    steps = [(it.title, it.rank, it.passed, _passing(it)) for it in explained.steps]
    if not steps:
        came = {None: "is not enough", "anchor": "is enough"}.get(
            explained.role, f"comes in as {explained.role} neighbour"
        )
        steps = [(f"Ranking of the {noun}s", explained.rank, explained.role is not None, came)]
    rows = [
        html(
            '<tr><th scope="row">{title}</th><td class="cml-number">{rank}</td><td class="{look}">{passed}</td></tr>',
            title=title,
            rank="no rank" if rank is None else f"{rank:,}",
            look="cml-in" if passed else "cml-miss",
            passed=words_,
        )
        for title, rank, passed, words_ in steps
    ]
    return html(
        '<section class="cml-turn"><p class="cml-task">{title}: <span class="{look}">{stage}</span></p>'
        '<p class="cml-quiet">{way}</p>{table}<p class="cml-say">{sentence}</p></section>',
        title=rival.title,
        look="cml-in" if explained.stage == "in context" else "cml-miss",
        stage=explained.stage,
        way=rival.way,
        table=_table(("stage", f"best {noun}", ""), rows, (1,)),
        sentence=explained.sentence,
    )


def _passing(step: Step) -> str:
    """Whether a turn got through a stage, and what it takes."""
    takes = "" if step.limit is None else f"; the best {step.limit:,} pass"
    return f"{'passes' if step.passed else 'not enough'}{takes}"


def _everything(told: Lecture, found: Sequence[Rival]) -> None:
    """All answerable questions of the conversation, and the questions at which the methods part."""
    st.markdown("**All questions of this conversation**")
    with st.spinner("Asking every method every question …"):
        questions, means = overall(told, found)
    if not questions:
        show(paragraph("No question of this conversation has a gold turn, so nothing can be counted."))
        return
    rows = [
        html(
            '<tr><th scope="row">{title}</th><td class="cml-number">{recall:.1%}</td>'
            '<td class="cml-number">{whole:.0%}</td><td class="cml-number">{turns:.0f}</td>'
            '<td class="cml-number">{tokens:,.0f}</td></tr>',
            title=rival.title,
            recall=it.recall,
            whole=it.all_found,
            turns=it.turns,
            tokens=it.tokens,
        )
        for rival, it in zip(found, means, strict=True)
    ]
    heads = ("method", "gold turns found", "all of them", "turns", "tokens")
    show(_table(heads, rows, (1, 2, 3, 4)))
    show(
        paragraph(
            f"Means over {counted(len(questions), 'answerable question')}. The methods spend unlike numbers of "
            "tokens, so these figures alone do not say which is better: the Sweep page compares at equal tokens.",
            "cml-quiet",
        )
    )
    _parting(questions, found, means)


def _parting(questions: Sequence[Question], found: Sequence[Rival], means: Sequence[Overall]) -> None:
    """The questions of which the methods find unlike shares, to go to."""
    parting = [it for it in questions if len({mean.found[it.index] for mean in means}) > 1]
    if not parting:
        show(paragraph("Every method finds as many gold turns of every question."))
        return
    first = means[0]
    ahead = sum(all(first.found[it.index] > mean.found[it.index] for mean in means[1:]) for it in parting)
    show(
        paragraph(
            f"They part at {counted(len(parting), 'question')}; at {ahead} of them {found[0].title} finds the most. "
            "Go to one:"
        )
    )
    with st.container(horizontal=True, key="cml-parting"):
        for it in parting[:_DIFFERING]:
            shares = ", ".join(
                f"{rival.title} {mean.found[it.index]}" for rival, mean in zip(found, means, strict=True)
            )
            st.button(
                f"Question {it.index}",
                key=f"learn.parting.{it.index}",
                help=f"{it.index}: gold turns found by {shares}",
                on_click=state.change,
                kwargs={"question": it.index, "turn": None},
            )
