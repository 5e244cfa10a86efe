"""The process that serves one model: ``python -m cuemem.adapters.local.server``, started by :class:`LocalEngine`.

A process of its own, so that it can be stopped, cannot take the app down with it, and gives its memory back. It
ends with the process that started it: that one holds the other end of our standard input, which closes when it
dies, however it dies. The engine's messages go to standard error, which is the log file; prompts are not among them.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from cuemem.adapters.local.state import ALREADY_SERVED, ServerState, lock_path, log_path

_LOCK_WAIT = 3.0  # seconds; someone who only looks whether the lock is held lets go of it at once
_CACHE_MIB = 1024  # prompts of other conversations that are kept in memory beside the current one


def main() -> int:
    """Serve until standard input closes."""
    parser = argparse.ArgumentParser()
    for text in ("name", "run"):
        parser.add_argument(f"--{text}", required=True)
    parser.add_argument("--model", type=Path, required=True)
    for number in ("context", "threads", "idle"):
        parser.add_argument(f"--{number}", type=int, required=True)
    given = parser.parse_args()
    folder = given.model.parent
    lock = FileLock(lock_path(folder, given.name))
    try:
        lock.acquire(timeout=_LOCK_WAIT)
    except Timeout:
        return ALREADY_SERVED
    ServerState.remove(folder, given.name)  # left by a server that was killed
    log_path(folder, given.name).write_bytes(b"")  # the messages of this run only
    server = _serve(given.model, given.name, given.context, given.threads, given.idle)
    ServerState(given.run, os.getpid(), str(server.listening_address), given.context).write(folder, given.name)
    sys.stdin.buffer.read()
    ServerState.remove(folder, given.name)
    os._exit(0)  # the engine's own threads are not waited for: a long generation would hold us up


def _serve(model: Path, name: str, context: int, threads: int, idle_seconds: int) -> Any:
    """Load the model and listen on a free port of the loopback interface, as long as the result is kept."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # a free one
    params.n_ctx = context
    params.n_parallel = 1  # one call at a time has all threads and the whole context
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    # What two prompts have in common at the beginning is computed once, also when another prompt came between.
    params.cache_prompt = True
    params.cache_ram_mib = _CACHE_MIB
    params.sleep_idle_seconds = idle_seconds or -1
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = ""  # no page in a browser may read from it
    return xllamacpp.Server(params)


if __name__ == "__main__":
    sys.exit(main())
