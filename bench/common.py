"""What the benchmarks share: made-up cues of realistic shape, timing, and a table."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from cuemem.types import Conversation, Cue, Indices, Matrix, Session, Turn, Utterance

DIMENSIONS = 384
CUES_PER_TURN = 1.6  # what a strong model extracts from LoCoMo
SIZES = (3_000, 20_000, 100_000)


def vectors(count: int, seed: int = 0) -> Matrix:
    """Unit vectors in loose clusters, as embedded cues are: neighbours are nearer than chance."""
    generator = np.random.default_rng(seed)
    centres = generator.standard_normal((max(1, count // 20), DIMENSIONS)).astype(np.float32)
    rows = centres[generator.integers(0, len(centres), count)]
    rows += 0.8 * generator.standard_normal((count, DIMENSIONS)).astype(np.float32)
    return np.ascontiguousarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def made_up(
    cue_count: int, cues_per_turn: float = CUES_PER_TURN
) -> tuple[Conversation, tuple[Turn, ...], tuple[Cue, ...], Indices]:
    """A conversation of so many cues, sessions of thirty turns."""
    turn_count = int(cue_count / cues_per_turn)
    start = datetime(2024, 1, 1, 12, 0)
    utterances = tuple(
        Utterance(f"D{i // 30 + 1}:{i % 30 + 1}", i // 30 + 1, "Ada", "a turn", start + timedelta(days=i // 30))
        for i in range(turn_count)
    )
    turns = tuple(Turn(u.utterance_id, index, (u,)) for index, u in enumerate(utterances))
    sessions = tuple(Session(number, start) for number in range(1, (turn_count - 1) // 30 + 2))
    cue_turn = np.sort(np.random.default_rng(1).integers(0, turn_count, cue_count))
    cues = tuple(Cue(index, turns[turn].turn_id, f"cue {index}") for index, turn in enumerate(cue_turn.tolist()))
    return Conversation("bench/0", "bench", "bench", sessions, utterances), turns, cues, cue_turn


def seconds(run: Callable[[], object], times: int = 1) -> list[float]:
    """The wall-clock seconds of each of ``times`` runs."""
    found = []
    for _ in range(times):
        started = perf_counter()
        run()
        found.append(perf_counter() - started)
    return found


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """p50 and p95."""
    return float(np.percentile(values, 50)), float(np.percentile(values, 95))


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place == 0 else "right")
    for row in rows:
        table.add_row(*row)
    console = Console()
    console.print(table)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    console.print(f"{platform.machine()}, {os.cpu_count()} cores, load {load}\n")
