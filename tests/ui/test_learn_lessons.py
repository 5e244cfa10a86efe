"""The lessons: numbered on, their code there, their equations those of the paper."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cuemem.ui.learn.lessons import LESSONS, STEPS, Lesson, heading, lesson_of
from tests.shared_data import shared

ROOT = Path(__file__).parents[2]


def test_seven_steps_and_the_limits() -> None:
    assert [lesson.number for lesson in LESSONS] == list(range(1, 10))
    assert STEPS == 7
    assert heading(LESSONS[3]) == "Step 4 of 7"
    assert [heading(lesson) for lesson in LESSONS[7:]] == ["After the seven steps"] * 2
    assert all(lesson.equations for lesson in LESSONS[:STEPS])


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_the_code_it_names_is_there(lesson: Lesson) -> None:
    path, _, name = lesson.code.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_which_lesson_a_note_names() -> None:
    assert lesson_of("") == (LESSONS[0], "")
    assert lesson_of("4") == (LESSONS[3], "")
    for wrong in ("0", "10", "04", "four", "٤"):
        lesson, said = lesson_of(wrong)
        assert lesson is LESSONS[0]
        assert said == f"There is no step “{wrong}”; they go from 1 to 9. Step 1 is shown."


def bare(latex: str) -> str:
    """Without backslashes and blanks, by which the paper's text and ours differ."""
    return re.sub(r"[\\\s]|quad", "", latex)


def test_the_equations_are_the_papers() -> None:
    paper = bare(shared("papers/cuemem.txt").read_text(encoding="utf-8"))
    ours = [equation.latex for lesson in LESSONS for equation in lesson.equations]
    # The paper gives these two in its running text, not joined as here.
    joined = {r"\mathcal{C}=\{c_{1},c_{2},\ldots,c_{N}\},\quad c_{i}=(t_{i},\tau_{i})"}
    for latex in ours:
        parts = latex.split(r",\quad ") if latex in joined else [latex]
        assert all(bare(part) in paper for part in parts), latex
