"""Starting, finding and stopping the server of a local model.

One server a model on a machine: a process that needs a model that another process serves uses that one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

from cuemem.adapters.local.catalogue import LocalModel, models_folder
from cuemem.adapters.local.endpoint import Endpoint, engine_installed, healthy, last_words, reach_directly
from cuemem.adapters.local.settings import EngineSettings
from cuemem.adapters.local.state import ALREADY_SERVED, ServerState, held, log_path
from cuemem.errors import Refused, Unavailable
from cuemem.ports import Progress, no_progress

_ROOT = Path(__file__).parents[3]
_SERVER = "cuemem.adapters.local.server"
_START_SECONDS = 300.0  # reading the model from a cold, slow disk
_STOP_SECONDS = 10.0
_TICK = 0.1
# Threads that wait for each other give their core away instead of spinning: on a busy machine they would otherwise
# hold up the very thread they wait for, and a reply takes twenty times as long (docs/notes/models-local.md).
_WAITING = {"OMP_WAIT_POLICY": "passive"}


class LocalEngine:
    """The servers that this process started, which end with it, and those of other processes, which it can use.

    Safe to share between threads. Keep it for as long as its servers are needed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder or models_folder()).absolute()
        self._mine: dict[str, subprocess.Popen[bytes]] = {}  # by the name of the run
        self._starting = threading.Lock()

    def running(self, model: LocalModel) -> Endpoint | None:
        """The server of this model, whoever started it."""
        state = ServerState.read(self.folder, model.name)
        return self._endpoint(model, state) if state else None

    def start(
        self, model: LocalModel, settings: EngineSettings | None = None, progress: Progress = no_progress
    ) -> Endpoint:
        """The server of this model, started unless it runs already; ready to answer when this returns.

        ``progress`` is called while the model loads and may raise Cancelled. Raises Unavailable where the model, the
        engine or the memory is missing, and Refused where another process serves the model with a smaller context.
        """
        settings = settings or EngineSettings()
        with self._starting:
            state = ServerState.read(self.folder, model.name)
            if state and state.context < settings.context:
                self._give_way(model, state, settings)
                state = None
            if state is None:
                state = self._start(model, settings, progress)
        reach_directly()
        return self._endpoint(model, state)

    def stop(self, model: LocalModel) -> bool:
        """Stop the server of this model, whoever started it. Returns whether there was one."""
        state = ServerState.read(self.folder, model.name)
        if state is None:
            return False
        mine = self._mine.pop(state.run, None)
        if mine:
            _end(mine)
        else:
            os.kill(state.pid, signal.SIGTERM)
        deadline = time.monotonic() + _STOP_SECONDS
        while (now := ServerState.read(self.folder, model.name)) and now.run == state.run:
            if time.monotonic() > deadline:
                raise Unavailable(f"The server of {model.name} (process {state.pid}) does not stop; end it yourself.")
            time.sleep(_TICK)
        return True

    def close(self) -> None:
        """Stop the servers that this process started."""
        while self._mine:
            _end(self._mine.popitem()[1])

    def wait(self, endpoint: Endpoint) -> None:
        """Return when a server that this process started has ended."""
        for process in self._mine.values():
            if process.pid == endpoint.pid:
                process.wait()

    def _endpoint(self, model: LocalModel, state: ServerState) -> Endpoint:
        log = log_path(self.folder, model.name)
        return Endpoint(model.name, f"{state.address}/v1", state.context, state.pid, log)

    def _give_way(self, model: LocalModel, state: ServerState, settings: EngineSettings) -> None:
        """Stop our own server that has too small a context."""
        if state.run not in self._mine:
            raise Refused(
                f"Another process serves {model.name} with a context of {state.context:,} tokens, and "
                f"{settings.context:,} are asked for. Stop that one first: python -m cuemem model stop {model.name}"
            )
        self.stop(model)

    def _start(self, model: LocalModel, settings: EngineSettings, progress: Progress) -> ServerState:
        if not engine_installed():
            raise Unavailable(
                "The engine for local models is not installed. Install it: pip install -r requirements-local.txt"
            )
        if not model.present(self.folder):
            raise Unavailable(f"{model.title} is not here yet. Pull it: python -m cuemem model pull {model.name}")
        run = uuid.uuid4().hex
        process = self._spawn(model, run, settings)
        try:
            state = self._ready(model, run, process, progress)
        except BaseException:
            _end(process)
            raise
        if state.run == run:
            self._mine[run] = process
        else:  # another process was quicker, and ours has given way
            _end(process)
        return state

    def _spawn(self, model: LocalModel, run: str, settings: EngineSettings) -> subprocess.Popen[bytes]:
        given = {
            "name": model.name,
            "run": run,
            "model": model.path(self.folder),
            "context": settings.context,
            "threads": settings.thread_count,
            "idle": settings.idle_seconds,
        }
        with log_path(self.folder, model.name).open("ab") as log:
            # A session of its own: Ctrl-C in our terminal is for us, and we end the server ourselves.
            return subprocess.Popen(
                [sys.executable, "-m", _SERVER, *(f"--{name}={value}" for name, value in given.items())],
                cwd=_ROOT,
                env=_WAITING | os.environ,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _ready(
        self, model: LocalModel, run: str, process: subprocess.Popen[bytes], progress: Progress
    ) -> ServerState:
        """Wait until the server has told where it listens, and answers there."""
        log = log_path(self.folder, model.name)
        began = time.monotonic()
        while time.monotonic() < began + _START_SECONDS:
            progress(f"{model.name} is loading, s", int(time.monotonic() - began), 0)
            state = ServerState.read(self.folder, model.name)
            if state and healthy(state.address):
                return state
            code = process.poll()
            elsewhere = code == ALREADY_SERVED and held(self.folder, model.name)  # another process was quicker
            if code is not None and not elsewhere:
                raise Unavailable(
                    f"The server of {model.name} ended while it loaded ({last_words(log)}; exit code "
                    f"{code}). With too little memory, try a smaller context or the smaller model. "
                    f"Its log: {log}"
                )
            time.sleep(_TICK)
        raise Unavailable(f"The server of {model.name} was not ready after {_START_SECONDS:.0f} s. Its log: {log}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server of ours: closing its standard input is the word for it, killing the last resort."""
    assert process.stdin is not None
    process.stdin.close()
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
