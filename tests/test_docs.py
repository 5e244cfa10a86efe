"""What the documents say about the code is so."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cuemem.adapters.embed import SentenceEmbedder

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def test_the_paper_map_names_what_exists() -> None:
    named = re.findall(r"`(cuemem/[\w/]+\.py)::(\w+)`", (ROOT / "docs/paper-map.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    missing = []
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        held = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        if name not in held:
            missing.append(f"{path}::{name}")
    assert missing == []


def documents() -> list[Path]:
    return [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("data/*.md")]


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    missing = [link for link in LINK.findall(text) if not (document.parent / link).exists()]
    assert missing == []


def test_the_readme_is_short_and_its_notebook_lines_run(
    tmp_path: Path, real_embedder: SentenceEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuemem.workbench.workbench.SentenceEmbedder", lambda _name: real_embedder)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code.strip().splitlines()) <= 12
    names: dict[str, object] = {}
    exec(compile(code.replace('"my.duckdb"', repr(str(tmp_path / "my.duckdb"))), "README.md", "exec"), names)
    assert "S" in str(names["recall"].context.turn_ids) or "D" in str(names["recall"].context.turn_ids)  # type: ignore[attr-defined]
