"""A running server, and what can be told of it without the process that started it."""

from __future__ import annotations

import os
import urllib.request
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from cuemem.errors import Unavailable

_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy lies between here and here
_PATIENCE = 15.0  # seconds; with all cores busy even a short answer takes its time


def engine_installed() -> bool:
    """Whether the package that serves models is there (requirements-local.txt)."""
    return find_spec("xllamacpp") is not None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A running server, as LiteLLM is told of it. It asks for no key, but the protocol has a place for one."""

    name: str  # in the catalogue
    api_base: str
    context: int  # tokens
    pid: int
    log: Path

    model: ClassVar[str] = "openai/local"
    api_key: ClassVar[str] = "none"

    @property
    def asleep(self) -> bool:
        """Whether the server has let go of the model's memory; the next request wakes it. Raises Unavailable."""
        try:
            with _DIRECT.open(self.api_base.removesuffix("/v1") + "/props", timeout=_PATIENCE) as reply:
                return b'"is_sleeping":true' in reply.read()
        except OSError as error:
            raise Unavailable(
                f"The server of {self.name} at {self.api_base} does not answer ({error}). "
                f"Stop it and start it again: python -m cuemem model stop {self.name}"
            ) from error


def healthy(address: str) -> bool:
    """Whether a server answers there."""
    try:
        with _DIRECT.open(f"{address}/health", timeout=_PATIENCE) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def last_words(log: Path) -> str:
    """Why the engine ended: the first error that it logged, or its last line."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    errors = [line.partition(" E ")[2] for line in lines if " E " in line]
    return (errors[0] if errors else lines[-1] if lines else "it said nothing").strip()


def reach_directly() -> None:
    """Keep calls to this machine off a proxy that the environment names."""
    for name in ("NO_PROXY", "no_proxy"):
        hosts = os.environ.get(name, "")
        if "127.0.0.1" not in hosts:
            os.environ[name] = f"{hosts},127.0.0.1".removeprefix(",")
