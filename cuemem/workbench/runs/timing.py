"""How long a user waits for a context, where vectors and scores lie in the store already."""

from __future__ import annotations

import statistics
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from cuemem.evaluation.run import ResultRow
from cuemem.types import Recall
from cuemem.workbench.runs.sources import stage_seconds
from cuemem.workbench.workbench import Workbench

_ENCODED = 5  # questions that the encoder's time is measured on


@dataclass
class Reconstruction:
    """The time of reconstruction of a run's rows. ``encoding`` is the encoder's; ``keep`` is told once measured.

    Safe to share between threads.
    """

    workbench: Workbench
    questions: Sequence[str]
    encoding: float | None
    keep: Callable[[float], None]
    _measuring: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def seconds(self, row: ResultRow, recall: Recall | None) -> float | None:
        """The seconds of a recall, with those that a user waits for the encoder and the reranker.

        Reranking counts as long as it took when the context was found: now its scores come from the store.
        """
        if recall is None:
            return None
        encoded = stage_seconds(recall, "query")
        reranked = stage_seconds(recall, "rerank") or 0.0
        others = sum(stage.seconds for stage in recall.trace if stage.name not in ("query", "rerank"))
        seconds = others + max(reranked, row.reranking_seconds or 0.0)
        return seconds + (max(encoded, self._encoding_seconds()) if encoded else 0.0)

    def _encoding_seconds(self) -> float:
        """The median time to encode one question, measured once."""
        with self._measuring:
            if self.encoding is None:
                seconds = []
                model = self.workbench.model
                model.warm_up()
                for text in [
                    self.questions[0],
                    *self.questions[:_ENCODED],
                ]:  # the first call is slow, and not counted
                    started = perf_counter()
                    model.encode([text])
                    seconds.append(perf_counter() - started)
                self.encoding = statistics.median(seconds[1:])
                self.keep(self.encoding)
            return self.encoding
