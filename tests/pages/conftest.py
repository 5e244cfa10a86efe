"""Every page test runs app.py in this process, over a store with the bundled samples or an empty one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

if TYPE_CHECKING:
    from cuemem.adapters.embed import SentenceEmbedder

ROOT = Path(__file__).parents[2]
OpenPage = Callable[..., AppTest]

# AppTest looks through all installed packages for components before each run, a server once: 0.2 s every time.
_components = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch, real_embedder: SentenceEmbedder, tmp_path: Path) -> OpenPage:
    """Run a page over a store: ``open_page("conversation", store, turn="D4:4")``; store None is an empty one."""
    monkeypatch.setattr("cuemem.workbench.workbench.SentenceEmbedder", lambda _name: real_embedder)
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", _components)
    _run_app_first(monkeypatch)
    for name in [name for name in os.environ if name.startswith("CUEMEM_")]:
        monkeypatch.delenv(name)  # the models of whoever runs the tests are not asked

    def opened(page: str, store: Path | None, **params: str) -> AppTest:
        monkeypatch.setenv("CUEMEM_STORE", str(store or tmp_path / "empty.duckdb"))
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
        for name, value in params.items():
            test.query_params[name] = value
        return test.switch_page(f"pages/{page}.py").run()

    return opened


def _run_app_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every run begin with app.py, as in a server; AppTest finds the folder pages/ and runs a page by itself."""
    plain = PagesManager.__init__

    def begin(self: PagesManager, *args: object, **kwargs: object) -> None:
        plain(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", begin)


@pytest.fixture
def own_store(sample_store: Path, tmp_path: Path) -> Path:
    """A copy of the sample store that a test may write to."""
    return Path(shutil.copy(sample_store, tmp_path / "own.duckdb"))


def shown(test: AppTest) -> str:
    """All that a page says in HTML, text and code, as one text."""
    parts = [element.proto.body for element in test.get("html")]
    return "\n".join([*parts, *(it.value for it in test.text), *(it.value for it in test.code)])
