"""Commands run in this process over a real store; only the embedding model is shared, for its loading time."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from cuemem.commands import app

if TYPE_CHECKING:
    from cuemem.adapters.embed import SentenceEmbedder

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
CUES = DATA / "cues"


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Cli:
    """The command line over one store."""

    store: Path

    def __call__(self, *words: object, code: int = 0, answer: str = "") -> Ran:
        result = CliRunner().invoke(app, ["--store", str(self.store), *map(str, words)], input=answer)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return Ran(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="session")
def one_model(real_embedder: SentenceEmbedder) -> Any:
    """Every workbench of the session uses the model that is loaded, and the commands are put together once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        patch.setattr("cuemem.workbench.workbench.SentenceEmbedder", lambda _name: real_embedder)
        yield


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, sample_store: Path, one_model: None) -> Path:
    """A closed store: of lakeside memories from written cues, from observations and of naive RAG. Do not write."""
    run = Cli(Path(shutil.copy(sample_store, tmp_path_factory.mktemp("commands") / "built.duckdb")))
    run("build", "lakeside", "--cues", "observations")
    run("trace", "lakeside", 0, "--method", "naive_rag", "--no-context")  # is built on first use
    return run.store


@pytest.fixture
def cli(built: Path, tmp_path: Path) -> Cli:
    """The command line over a copy of the built store."""
    return Cli(Path(shutil.copy(built, tmp_path / "store.duckdb")))


@pytest.fixture
def empty(tmp_path: Path, one_model: None) -> Cli:
    """The command line over a store that is not there yet."""
    return Cli(tmp_path / "new" / "store.duckdb")


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The width that everything has to fit."""
    monkeypatch.setenv("COLUMNS", "80")
