"""One step of a slider on the Trace page: the server's part, and until the new picture stands in the browser.

A conversation of about 700 turns, made of the bundled one three times over. The aims, on a quiet machine of two
cores, are 100 ms on the server and 500 ms to the picture. The browser's part is left out where there is none.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.common import percentiles, show
from cuemem.methods import CueMem
from cuemem.workbench import Workbench, load_file

ROOT = Path(__file__).parents[1]
SAMPLE, TIMES = ROOT / "data" / "locomo_sample.json", 3
KNOBS = {"w": "window", "k": "neighbours", "m": "top_cues"}
STEPS = 8
REVISION = "globalThis.cuememGraphs?.get('turns')?.revision()"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "bench.duckdb"
        turns = _build(store, Path(folder) / "long.json")
        os.environ["CUEMEM_STORE"] = str(store)
        rows = _server_rows()
        rows += _browser_rows(store)
    show(f"A slider step on Trace, {turns} turns", ("what", "p50 ms", "p95 ms", "aim ms"), rows)


def _build(store: Path, file: Path) -> int:
    """The sample several times over as one conversation, with sentences as cues and its questions encoded."""
    sample = json.loads(SAMPLE.read_text(encoding="utf-8"))[0]
    talk: dict[str, Any] = {name: sample["conversation"][name] for name in ("speaker_a", "speaker_b")}
    sessions = [name for name in sample["conversation"] if name.startswith("session_") and name[8:].isdigit()]
    for copy in range(TIMES):
        for name in sessions:
            number = copy * len(sessions) + int(name[8:])
            said = sample["conversation"][name]
            talk[f"session_{number}_date_time"] = sample["conversation"][f"{name}_date_time"]
            talk[f"session_{number}"] = [t | {"dia_id": f"D{number}:{i}"} for i, t in enumerate(said, 1)]
    file.write_text(json.dumps([{"sample_id": "long", "conversation": talk, "qa": sample["qa"]}]), encoding="utf-8")
    workbench = Workbench.open(store)
    (key,) = load_file(workbench.store, file).conversations
    record = workbench.build(key, CueMem(cue_source="sentences"))
    workbench.embedder.encode([question.text for question in workbench.store.questions(key)])
    workbench.store.close()
    return record.turn_count


def _server_rows() -> list[tuple[str, ...]]:
    """The page run in this process, without a browser."""
    from streamlit.testing.v1 import AppTest

    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    page.query_params["question"] = "0"
    page.run()
    page.switch_page("pages/trace.py").run()
    rows = []
    for symbol, name in KNOBS.items():
        found = []
        for step in range(STEPS):
            slider = page.slider(key=f"control.knob.{name}")
            slider.set_value(int(slider.value) + (1 if step % 2 == 0 else -1))  # type: ignore[arg-type]
            started = time.perf_counter()
            page.run()
            found.append(1000 * (time.perf_counter() - started))
        rows.append(_row(f"server, {symbol}", found, 100))
    return rows


def _browser_rows(store: Path) -> list[tuple[str, ...]]:
    """From the key press to the new picture, the wait of the slider for more presses included."""
    path = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium")
    if path is None:
        return [("browser: no Chromium", "-", "-", "500")]
    from playwright.sync_api import sync_playwright

    rows = []
    copy = shutil.copy(store, store.with_name("served.duckdb"))  # this process holds the other one
    with _served(Path(copy)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(f"{address}/trace?question=0")
        page.locator("[data-testid=turn-graph][data-rev]").wait_for(timeout=120_000)
        page.wait_for_timeout(3000)
        for symbol in KNOBS:
            found = []
            for step in range(STEPS):
                before = page.evaluate(f"() => {REVISION}")
                started = time.perf_counter()
                key = "ArrowRight" if step % 2 == 0 else "ArrowLeft"
                page.get_by_role("slider", name=f"{symbol} ·").press(key)
                page.wait_for_function(f"before => {REVISION} !== before", arg=before)
                found.append(1000 * (time.perf_counter() - started))
                page.wait_for_timeout(600)
            rows.append(_row(f"picture, {symbol}", found, 500))
        browser.close()
    return rows


@contextmanager
def _served(store: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
    environment = os.environ | {"CUEMEM_STORE": str(store)}
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(600):
        with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
            break
        time.sleep(0.1)
    try:
        yield address
    finally:
        server.terminate()
        server.wait()


def _row(what: str, found: list[float], aim: int) -> tuple[str, ...]:
    half, most = percentiles(found)
    return what, f"{half:.0f}", f"{most:.0f}", str(aim)


if __name__ == "__main__":
    main()
