"""A real Chromium before the real app: nothing may leave the loopback address, no dialog may open."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import pytest

from tests.browser import hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize

    from cuemem.adapters.embed import SentenceEmbedder

ROOT = Path(__file__).parents[2]
SECONDS = 60
_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What moves while a page waits, is painted sixty times a second, by the processor that the page waits for.
_STILL = """addEventListener("DOMContentLoaded", () => {
    const still = document.createElement("style");
    still.textContent = "*, ::before, ::after { animation: none !important; transition: none !important }";
    document.head.append(still);
})"""
Serve = Callable[[Path], str]
NewPage = Callable[..., "Page"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser; the test is skipped where there is none, and fails in continuous integration."""
    path = os.environ.get("CHROMIUM_PATH") or next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if path is None:
        reason = "no Chromium: install one, or set CHROMIUM_PATH"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def profile(chromium: Browser) -> BrowserContext:
    """The profile of all pages: a fresh one would fetch and compile the app's scripts anew, seconds for each page."""
    context = chromium.new_context(reduced_motion="reduce")
    context.add_init_script(_STILL)
    return context


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note for the pages of a test that it has failed."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


def _as_seen(page: Page) -> str:
    """Where a page is, in which state, and what stands on it, for the report of a failure."""
    said = page.evaluate("""() => ({
        state: document.querySelector('[data-testid=stApp]')?.dataset.testScriptState,
        text: (document.querySelector('[data-testid=stMain]') ?? document.body)?.innerText,
    })""")
    return f"{page.url}, script {said['state']}\n{said['text']}"


@pytest.fixture
def new_page(profile: BrowserContext, request: pytest.FixtureRequest) -> Iterator[NewPage]:
    """Pages, each in a tab of its own. Fails for a request to elsewhere, a dialog, an error of a script."""
    seen: list[str] = []
    pages: list[Page] = []

    def made(viewport: ViewportSize | None = None, color_scheme: Literal["light", "dark"] = "light") -> Page:
        opened = profile.new_page()
        pages.append(opened)
        opened.set_viewport_size(viewport or {"width": 1400, "height": 1000})
        opened.emulate_media(color_scheme=color_scheme)
        opened.set_default_timeout(SECONDS * 1000)
        opened.on("request", lambda request: _leaves(request.url) and seen.append(f"request to {request.url}"))
        opened.on("dialog", lambda dialog: (seen.append(f"dialog “{dialog.message}”"), dialog.dismiss()))
        opened.on("pageerror", lambda error: seen.append(f"script error: {error}"))
        opened.on("console", lambda message: _is_fault(message) and seen.append(f"console: {message.text}"))
        return opened

    yield made
    if request.node.stash.get(_FAILED, False):
        print(*map(_as_seen, pages), *seen, sep="\n")
    for page in pages:
        page.evaluate("() => localStorage.clear()")
        page.close()
    profile.clear_cookies()
    assert seen == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A page of the width of a desktop."""
    return new_page()


def _is_fault(message: ConsoleMessage) -> bool:
    """An error; but opened below a page's path, Streamlit's client first looks for its server there, in vain."""
    return message.type == "error" and "/_stcore/" not in message.location.get("url", "")


def _leaves(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost")


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """Run the app over a store; the address it answers at. A store is served once."""
    running: dict[Path, tuple[subprocess.Popen[bytes], str]] = {}

    def served(store: Path) -> str:
        if store not in running:
            running[store] = _start(store)
        return running[store][1]

    yield served
    for process, _ in running.values():
        process.terminate()
        process.wait(SECONDS)


def _start(store: Path) -> tuple[subprocess.Popen[bytes], str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    log = (store.parent / "app.log").open("wb")
    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"CUEMEM_STORE": str(store)}, stdout=log, stderr=log
    )
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
            if answer.status == 200:
                return process, address
        time.sleep(0.2)
    process.kill()
    raise AssertionError(f"The app does not answer:\n{Path(log.name).read_text(encoding='utf-8')}")


@pytest.fixture(scope="session")
def rich_store(sample_store: Path, tmp_path_factory: pytest.TempPathFactory, real_embedder: SentenceEmbedder) -> Path:
    """The samples and the hostile conversation with its sentences as cues. Each test leaves it as it was."""
    from cuemem.adapters.store import Store
    from cuemem.adapters.tokens import FixedTokenizer
    from cuemem.methods import CueMem
    from cuemem.workbench import Workbench, load_file

    folder = tmp_path_factory.mktemp("rich")
    path = Path(shutil.copy(sample_store, folder / "rich.duckdb"))
    file = folder / "hostile.json"
    file.write_text(json.dumps([hostile.conversation()]), encoding="utf-8")
    store = Store.open(path)
    workbench = Workbench(store, real_embedder, FixedTokenizer())
    (key,) = load_file(store, file).conversations
    workbench.build(key, CueMem(cue_source="sentences"))
    workbench.embedder.encode([question.text for question in store.questions(key)])
    store.close()
    return path


@pytest.fixture(scope="session")
def app(serve: Serve, rich_store: Path) -> str:
    """The address of the app over the samples and the hostile conversation."""
    return serve(rich_store)
