"""What stands around every step: the row of steps, the question and what the settings make of it, back and on."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from cuemem.types import TurnId
from cuemem.ui import state
from cuemem.ui.learn import facts, lecture
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.learn.lessons import LESSONS, Lesson, heading, lesson_of
from cuemem.ui.learn.pieces import STAR, paragraph
from cuemem.ui.learn.words import found
from cuemem.ui.markup import Html, html, join, notice, show
from cuemem.ui.scene import Scene

_NOTE = "step"
_QUIET = "cml-quiet"


def chosen(scene: Scene) -> Lesson:
    """The lesson that the address names."""
    lesson, problem = lesson_of(scene.view.extra(_NOTE))
    if problem:
        notice(problem, "warning")
    return lesson


def _go(number: int) -> None:
    state.change(extras=state.current().with_extra(_NOTE, str(number)).extras)


def stepper(lesson: Lesson) -> None:
    """All steps as buttons, each also by its digit on the keyboard."""
    with st.container(horizontal=True, gap="small", key="cml-steps"):
        for it in LESSONS:
            st.button(
                it.name,
                key=f"learn.step.{it.number}",
                type="primary" if it is lesson else "secondary",
                shortcut=str(it.number),
                on_click=_go,
                args=(it.number,),
            )
        _from_the_top(lesson)


def asked(told: Lecture) -> None:
    """The question, its gold turns, and what the present settings find."""
    scene, outcome, question = told.scene, facts.here(told), told.question
    knobs = ", ".join(f"{symbol} = {getattr(scene.method, facts.knob(told, symbol).name)}" for symbol in "wkm")
    budget = "" if scene.budget is None else f" and a budget of {scene.budget:,} tokens"
    result = (
        f"With {knobs}{budget}: {outcome.turns:,} of {len(told.memory.turns):,} turns, {outcome.tokens:,} tokens, "
        f"{found(outcome, len(told.gold))}."
    )
    show(
        html(
            '<div class="cml-asked"><p class="cml-quiet">Question {index} of <bdi>{title}</bdi></p>'
            '<p class="cml-question">{text}</p>{gold}<p class="cml-quiet" role="status">{result}</p></div>',
            index=question.index,
            title=scene.summary.title,
            text=question.text,
            gold=_chips(told, outcome.found),
            result=result,
        )
    )


def _chips(told: Lecture, here: tuple[TurnId, ...]) -> Html:
    never = told.question.unanswerable
    if not told.gold:
        return paragraph(
            "The answer was never said." if never else "No gold turn is known for this question.", _QUIET
        )
    label = "The answer was never said. Turns that mislead:" if never else "Gold turns, which hold the answer:"
    chips = [
        html(
            '<span class="cml-chip {look}">{star} {turn_id} {word}</span>',
            look="cml-in" if turn_id in here else "cml-miss",
            star=STAR,
            turn_id=turn_id,
            word="found" if turn_id in here else "missed",
        )
        for turn_id in told.gold
    ]
    return html(
        '<p class="cml-chips"><span class="cml-quiet">{label}</span>{chips}</p>', label=label, chips=join(chips)
    )


def story_door(scene: Scene) -> None:
    """The way to the paper's own example, where something else is looked at and the sample is there."""
    key = lecture.story()
    if key is None:
        st.page_link(
            "pages/home.py",
            label="Get the paper's own example on Home",
            icon=":material/auto_stories:",
        )
        return
    if (scene.view.conversation, scene.view.question) == (key, lecture.STORY_QUESTION):
        return
    st.button(
        "Show the paper's own question",
        key="learn.story",
        icon=":material/auto_stories:",
        on_click=lecture.to_story,
        args=(key,),
    )


def introduction(lesson: Lesson) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Heading and paragraph, and beside them the equations; gives the two columns, in which the step goes on.

    All constants: Markdown and mathematics may be read.
    """
    left, right = st.columns([4, 3], gap="large")
    with left:
        show(
            html(
                '<p class="cml-quiet">{heading}</p><h1 class="cml-title">{title}</h1>',
                heading=heading(lesson),
                title=lesson.title,
            )
        )
        st.markdown(lesson.text)
    with right, st.container(border=True, key="cml-paper"):
        place, _, name = lesson.code.partition("::")
        show(html('<p class="cml-quiet">In the paper: section {section}</p>', section=lesson.section))
        for equation in lesson.equations:
            st.latex(equation.latex)
            show(paragraph(equation.words, "cml-quiet cml-words"))
        show(
            html(
                '<p class="cml-quiet">In the code: <code>{name}</code> in <code>{place}</code></p>',
                name=name,
                place=place,
            )
        )
    return left, right


def back_and_on(lesson: Lesson) -> None:
    """To the step before and the step after."""
    place = LESSONS.index(lesson)
    with st.container(horizontal=True, horizontal_alignment="distribute" if place else "right", key="cml-nav"):
        if place:
            before = LESSONS[place - 1]
            st.button(
                f"{before.number} · {before.name}",
                key="learn.back",
                icon=":material/arrow_back:",
                on_click=_go,
                args=(before.number,),
            )
        if place + 1 < len(LESSONS):
            after = LESSONS[place + 1]
            st.button(
                f"{after.number} · {after.name}",
                key="learn.on",
                type="primary",
                icon=":material/arrow_forward:",
                icon_position="right",
                on_click=_go,
                args=(after.number,),
            )


def _from_the_top(lesson: Lesson) -> None:
    """A new step is read from its beginning: the browser keeps the place it had scrolled to."""
    script = """<script>/* step NUMBER */
      document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
    </script>"""
    st.html(script.replace("NUMBER", str(lesson.number)), unsafe_allow_javascript=True, width="content")
