"""How the local model is served."""

from __future__ import annotations

import os
from dataclasses import dataclass

from cuemem.errors import BadSetting

MIN_CONTEXT, MAX_CONTEXT = 512, 32_768  # tokens; the models of the catalogue were trained on 32,768


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Context window in tokens, threads (None: a thread a core), and when an idle server lets go of its memory.

    The window costs memory for as long as the model is loaded. After ``idle_seconds`` without a request the
    server unloads the model; the next request loads it again, in a second or two. 0 never unloads it.
    """

    context: int = 8192
    threads: int | None = None
    idle_seconds: int = 900

    def __post_init__(self) -> None:
        """Raises BadSetting for a value that the engine cannot work with."""
        if not MIN_CONTEXT <= self.context <= MAX_CONTEXT:
            raise BadSetting(
                f"A context of {self.context:,} tokens is not possible: choose {MIN_CONTEXT} to {MAX_CONTEXT:,}."
            )
        if self.threads is not None and not 1 <= self.threads <= 256:
            raise BadSetting(f"{self.threads} threads are not possible: choose 1 to 256, or leave it out.")
        if self.idle_seconds < 0:
            raise BadSetting(f"{self.idle_seconds} idle seconds are not possible: choose 0 (never) or more.")

    @property
    def thread_count(self) -> int:
        """The threads that are used."""
        return self.threads or os.cpu_count() or 1
