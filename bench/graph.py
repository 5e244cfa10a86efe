"""Building the turn graph: every cue's ten nearest, anywhere and in other turns.

Targets on two cores: 0.2 s, 5 s and 100 s at 3,000, 20,000 and 100,000 cues, memory below 1 GB at 100,000.
The reference sorts every cue's whole list of cosines; from 20,000 cues on it is measured on 200 cues and scaled.
Each size runs in a process of its own, so that the peak memory is its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np

from bench.common import SIZES, made_up, seconds, show, vectors
from cuemem.methods.cuemem.graph import link_cues
from cuemem.types import Indices, Matrix

TARGETS = {3_000: 0.2, 20_000: 5.0, 100_000: 100.0}
SAMPLE = 200


def reference(matrix: Matrix, cue_turn: Indices, rows: int) -> None:
    for cue in range(rows):
        values = np.round(matrix.astype(np.float64) @ matrix[cue], 6)
        order = np.lexsort((np.arange(len(matrix)), -values))
        order = order[order != cue]
        _ = order[:10], order[cue_turn[order] != cue_turn[cue]][:10]


def measure(size: int) -> None:
    """One size: seconds, seconds of the reference, peak megabytes of the process."""
    _, _, _, cue_turn = made_up(size)
    matrix = vectors(size)
    mine = seconds(lambda: link_cues(matrix, cue_turn))[0]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = min(SAMPLE, size) if size < 50_000 else 20
    plain = seconds(lambda: reference(matrix, cue_turn, rows))[0] * size / rows
    print(mine, plain, peak / 1024)


def main() -> None:
    rows = []
    for size in SIZES:
        done = subprocess.run(
            [sys.executable, "-m", "bench.graph", str(size)], capture_output=True, text=True, check=True
        )
        mine, plain, peak = (float(value) for value in done.stdout.split())
        rows.append(
            (
                f"{size:,}",
                f"{mine:.2f}",
                f"{TARGETS[size]:g}",
                f"{plain:.1f}",
                f"{plain / mine:.0f}×",
                f"{peak:.0f}",
            )
        )
    show(
        "Turn graph: the ten nearest cues of every cue",
        ("cues", "s", "target s", "plain sort s", "ratio", "peak MB"),
        rows,
    )


if __name__ == "__main__":
    measure(int(sys.argv[1])) if len(sys.argv) > 1 else main()
