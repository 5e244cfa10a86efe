"""What every test needs: no network, no hub, and one real embedding model for all of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None)  # a first example loads what it tests, and the machine may be busy
settings.load_profile("suite")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
if "PYTEST_XDIST_WORKER" in os.environ:  # the processes share the cores already
    os.environ.setdefault("OMP_NUM_THREADS", "1")

BROWSER = "tests/browser/"

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

    from cuemem.adapters.embed import SentenceEmbedder


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """A file's tests stay with one worker; all browser tests do, so that there is one browser and one served app."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return BROWSER if nodeid.startswith(BROWSER) else str(super()._split_scope(nodeid))

    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser tests first: nothing else takes so long in one piece. Sorting keeps all else in its order."""
    items.sort(key=lambda item: not item.nodeid.startswith(BROWSER))


@pytest.fixture(scope="session")
def real_embedder() -> SentenceEmbedder:
    """all-MiniLM-L6-v2: loaded once, and each text encoded once, since either takes seconds."""
    from tests.remembering import RememberingEmbedder

    embedder = RememberingEmbedder()
    embedder.warm_up()
    return embedder


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory, real_embedder: SentenceEmbedder) -> Path:
    """A closed store: the bundled conversations, with the memory of lakeside from its written cues. Do not write.

    The vectors of its questions are in it, so that they are traced without waiting for the model.
    """
    from cuemem.adapters.store import Store
    from cuemem.adapters.tokens import FixedTokenizer
    from cuemem.workbench import Workbench
    from cuemem.workbench.samples import load_samples

    path = tmp_path_factory.mktemp("samples") / "samples.duckdb"
    store = Store.open(path)
    workbench = Workbench(store, real_embedder, FixedTokenizer())
    first = load_samples(workbench)[0]
    workbench.build(first.conversation_id, first.method, first.files)
    workbench.embedder.encode([question.text for question in store.questions(first.conversation_id)])
    store.close()
    return path
