"""The command line: ``python -m cuemem``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run a command. An interruption while Python is still reading the code ends quietly as well."""
    try:
        from cuemem.commands import app
    except KeyboardInterrupt:
        sys.exit(130)
    app(prog_name="python -m cuemem")


if __name__ == "__main__":
    main()
