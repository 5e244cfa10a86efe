"""The command line: ``python -m cuemem``."""

from __future__ import annotations

from cuemem.commands import app

if __name__ == "__main__":
    app(prog_name="python -m cuemem")
