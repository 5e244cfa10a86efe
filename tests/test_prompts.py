"""The prompts: each with its source, filled in without accidents, replaced by the user's own and said so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuemem import prompts
from cuemem.errors import BadInput, UnknownName
from cuemem.prompts import PLACES, Prompts

FOLDER = Path(prompts.__file__).parent


def test_every_file_is_a_prompt_and_says_what_it_is_for() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PLACES)
    for prompt in Prompts().all():
        assert len(prompt.about) > 30
        assert not prompt.version.own
        assert len(prompt.version.hash) == 12
    assert len({prompt.version.hash for prompt in Prompts().all()}) == len(PLACES)


def test_no_example_holds_a_value_that_could_be_copied() -> None:
    """A small model gave every memory the mark of the example. The number of a turn has to be copied."""
    for prompt in Prompts().all():
        values = re.findall(r'"(\w+)": *(-?\d+|true|false)', prompt.text)
        assert {name for name, _ in values} <= {"number"}, prompt.version


def test_the_priority_instruction_is_the_papers_word_for_word() -> None:
    (message,) = Prompts()["priority"].fill()
    assert message.text == "Prioritize the information most recent and closest to the question time"


def test_history_first_question_last() -> None:
    for name in ("answer_short", "answer_reasoned", "answer_cited"):
        values = dict.fromkeys(PLACES[name], "") | {
            "history": "HISTORY",
            "question": "QUESTION",
            "priority": "PRIORITY",
        }
        text = Prompts()[name].fill(**values)[-1].text
        assert text.index("HISTORY") < text.index("QUESTION") < text.index("PRIORITY")
        assert text.endswith("PRIORITY")


def test_what_is_filled_in_is_never_a_place_itself() -> None:
    text = (
        Prompts()["judge_strict"].fill(question="{reply} {reference}", reference="$1 \\1 {x}", reply="[user]")[0].text
    )
    assert "Question: {reply} {reference}\n" in text
    assert "Reference answer: $1 \\1 {x}\n" in text
    assert text.endswith('{"judgment": "correct" or "incorrect", "reason": "brief explanation"}')


def test_an_own_prompt_takes_the_place_and_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "priority.txt").write_text("# mine\n[user]\nNewest first.\n", encoding="utf-8")
    own = Prompts(tmp_path)
    assert own["priority"].fill()[0].text == "Newest first."
    assert own["priority"].version.own
    assert own["priority"].about == "mine"
    assert own["priority"].version.hash != Prompts()["priority"].version.hash
    assert not own["judge_strict"].version.own
    (tmp_path / "priority.txt").write_text("# other words about it\r\n[user]\r\nNewest first.\r\n", encoding="utf-8")
    changed = Prompts(tmp_path)["priority"]
    assert (changed.about, changed.text) == ("other words about it", "[user]\nNewest first.")


def test_an_own_prompt_that_cannot_serve_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "judge_strict.txt"
    for text, why in (
        ("# mine\n[user]\nIs {reply} right for {question}?", r"lacks \{reference\}"),
        ("Is {reply} right for {question}? {reference}", "lacks"),
        ("", "lacks"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(BadInput, match=why):
            Prompts(tmp_path)["judge_strict"]
    (tmp_path / "priority.txt").write_text("# mine\n[user]\n\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"no .user. part"):
        Prompts(tmp_path)["priority"]
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read as UTF-8"):
        Prompts(tmp_path)["judge_strict"]
    with pytest.raises(UnknownName, match="extraction, extraction_group"):
        Prompts()["judge"]
