"""The help, and what starting up costs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from cuemem import __version__
from cuemem.commands import app, manual
from cuemem.knobs import knobs_of
from cuemem.methods import METHODS
from tests.commands.conftest import ROOT, Cli

COMMANDS = tuple(command.name for command in app.registered_commands)
HEAVY = ("torch", "sentence_transformers", "transformers", "litellm", "streamlit", "pandas", "plotly")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_that_fits_eighty_columns(empty: Cli, command: str) -> None:
    shown = empty(command, "--help").out
    assert f"Usage: root {command}" in shown or f" {command} " in shown.splitlines()[1]
    assert max(map(len, shown.splitlines())) <= 80
    assert "<bool>" not in shown
    assert command in empty("--help").out


def test_the_help_texts_are_set_for_eighty_columns() -> None:
    """Lines are printed as written, so one that is too long would break in the middle of a sentence."""
    texts = [text for name, text in vars(manual).items() if name.isupper()]
    assert len(texts) == len(COMMANDS) + 1
    assert [line for text in texts for line in text.splitlines() if len(line) > 78] == []


def test_every_example_names_options_that_exist(empty: Cli) -> None:
    texts = {name.lower(): text for name, text in vars(manual).items() if name.isupper()}
    for text in texts.values():
        for command, words in re.findall(r"^  python -m cuemem ([\w-]+)(.*)$", text, re.MULTILINE):
            shown = empty(command, "--help").out
            for option in re.findall(r"(?<!\w)--?[a-z][a-z-]*", words):
                assert option in shown, f"{command} has no {option}"


def test_every_knob_is_an_option_those_of_build_to_tell_memories_apart(empty: Cli) -> None:
    shown = empty("trace", "--help").out
    for method in METHODS:
        for knob in knobs_of(method):
            option = f"-{knob.symbol}" if knob.symbol else f"--{knob.name.replace('_', '-')}"
            assert (re.search(rf"{option}\b", shown) is not None) == (
                not knob.source and knob.name != "turn_unit"  # these go by --cues and --turns
            ), knob.name


@pytest.mark.parametrize("words", [["trace", "--help"], ["list"]])
def test_starting_up_loads_no_model_and_no_app(built: object, words: list[str]) -> None:
    program = (
        "import sys\nfrom cuemem.commands import app\n"
        "try: app(sys.argv[1:])\n"
        f"except SystemExit: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    words = ["--store", str(built), *words]
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"


def test_version_and_no_command(empty: Cli) -> None:
    assert empty("--version").out == f"CueMem Lab {__version__}\n"
    assert "Usage" in empty(code=2).out + empty(code=2).err


@pytest.mark.parametrize(
    "words",
    [
        ["frob"],
        ["trace", "lakeside"],
        ["trace", "lakeside", "first"],
        ["trace", "lakeside", "0", "--budget", "few"],
        ["trace", "lakeside", "0", "--budget", "-1"],
        ["trace", "lakeside", "0", "--method", "magic"],
        ["trace", "lakeside", "0", "--cues", "imported", "-w", "7"],
        ["trace", "lakeside", "0", "--method", "full_history", "-k", "1"],
        ["trace", "lakeside", "0", "--method", "naive_rag", "--cues", "imported"],
        ["grid", "-w", "3-1"],
        ["grid", "lakeside", "--cues", "imported", "-w", "0-9"],
        ["build"],
        ["build", "lakeside", "--all"],
        ["build", "lakeside", "--cue-dir", "/nowhere"],
        ["export", "cues", "lakeside", "--out", "cues.xlsx"],
        ["export", "pages", "lakeside", "--out", "cues.csv"],
    ],
)
def test_wrong_usage_is_two_with_and_without_json(cli: Cli, words: list[str]) -> None:
    ran = cli(*words, code=2)
    assert ran.out == ""
    assert "Traceback" not in ran.err
    machine = cli("--json", *words, code=2)
    assert list(machine.document) == ["error"]
    assert machine.document["error"] in machine.err.replace("\n", " ")
