"""Files that lie beside the repository and are never part of it: real datasets, published results."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(path: str) -> Path:
    """A file below ``../shared``; the test that asks for one that is not there is skipped, and says why."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"{found} is not on this machine")
    return found
