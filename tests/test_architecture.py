"""Imports go one way, each outside library stays in its place, and nothing names this machine."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# A module may import from its own layer's own part and from the layers before; parts of one layer are siblings
# and do not import each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("cuemem.types", "cuemem.errors", "cuemem.parallel", "cuemem.text"),
    ("cuemem.ports", "cuemem.unit_ports", "cuemem.knobs", "cuemem.problems", "cuemem.patience"),
    ("cuemem.context", "cuemem.prompts", "cuemem.turns", "cuemem.similarity", "cuemem.lexical"),
    (
        "cuemem.methods",
        "cuemem.cues",
        "cuemem.units",
        "cuemem.datasets",
        "cuemem.viz",
        "cuemem.adapters",
        "cuemem.evaluation",
    ),
    ("cuemem.jobs", "cuemem.workbench"),
    ("cuemem.ui", "cuemem.commands", "cuemem.__main__"),
    ("pages", "app"),
)
# Within these layers parts may use each other: they are the domain's vocabulary, not siblings.
OPEN_LAYERS = {0, 1, 2, 4, 5, 6}
HOMES = {
    "duckdb": ("cuemem.adapters",),
    "litellm": ("cuemem.adapters",),
    "sentence_transformers": ("cuemem.adapters",),
    "torch": ("cuemem.adapters",),
    "streamlit": ("cuemem.ui", "pages", "app"),
    "plotly": ("cuemem.viz",),
    "pyvis": ("cuemem.viz",),
    "typer": ("cuemem.commands", "cuemem.__main__"),
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted([*ROOT.glob("cuemem/**/*.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("app.py")]):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> Iterator[str]:
    """Every module that is imported, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(name: str) -> tuple[int, str] | None:
    for layer, parts in enumerate(LAYERS):
        for part in parts:
            if name == part or name.startswith(part + "."):
                return layer, part
    return None


def test_every_module_has_its_layer() -> None:
    assert [name for name, _ in modules() if name != "cuemem" and part_of(name) is None] == []


def test_imports_go_one_way() -> None:
    wrong = []
    for name, tree in modules():
        here = part_of(name)
        for imported in imports(tree):
            there = part_of(imported)
            if here is None or there is None or there == here:
                continue
            sideways = there[0] == here[0] and here[0] not in OPEN_LAYERS
            if there[0] > here[0] or sideways:
                wrong.append(f"{name} imports {imported}")
    assert wrong == []


def test_outside_libraries_stay_in_their_place() -> None:
    wrong = [
        f"{name} imports {imported}"
        for name, tree in modules()
        for imported in imports(tree)
        for library, homes in HOMES.items()
        if imported.split(".")[0] == library
        and not any(name == home or name.startswith(home + ".") for home in homes)
    ]
    assert wrong == []


@pytest.mark.parametrize("module", ["cuemem.workbench", "cuemem.methods", "cuemem.adapters.store"])
def test_heavy_libraries_are_imported_when_needed_and_not_before(module: str) -> None:
    code = (
        f"import sys, {module}; heavy = ('torch', 'transformers', 'sentence_transformers', 'litellm', 'streamlit');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_methods_are_not_named_outside_their_folder() -> None:
    """A new method is one folder and one line in METHODS: nothing else branches on which method it is."""
    wrong = []
    for name, tree in modules():
        if name.startswith("cuemem.methods"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                text = ast.unparse(node)
                if any(f"'{method}'" in text for method in ("cuemem", "naive_rag", "full_history", "qgmem")):
                    wrong.append(f"{name}:{node.lineno} {text}")
    assert wrong == []


def test_downloads_are_made_when_they_are_asked_for() -> None:
    """A file that is given to the button itself is checked by the browser and may be gone by then: a 404."""
    wrong = []
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".download_button"):
                made = node.args[1]
                if not isinstance(made, ast.Lambda) and ast.unparse(made) != "make":
                    wrong.append(f"{name}:{node.lineno} {ast.unparse(made)}")
    assert wrong == []


def test_files_and_functions_stay_readable() -> None:
    wrong = []
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > 60:
                    wrong.append(f"{name}.{node.name}: {size} lines")
    sizes = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for path in [*ROOT.glob("cuemem/**/*.py"), *ROOT.glob("pages/*.py")]
    }
    wrong += [f"{path.relative_to(ROOT)}: {size} lines" for path, size in sizes.items() if size > 300]
    assert wrong == []
