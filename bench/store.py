"""Loading a file, building a memory, and opening it again from what the store holds.

Uses the bundled sample. The reference for opening is what it would cost without the store: extracting and
embedding anew. The reference for loading is parsing the file alone.
"""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path

from bench.common import seconds, show
from cuemem.methods import CueMem
from cuemem.workbench import Workbench, load_file

DATA = Path(__file__).parent.parent / "data"


def parsed(path: Path) -> object:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench.open(Path(folder) / "bench.duckdb")
        bench.model.warm_up()
        for sample, conversation, cues in (
            ("locomo_sample.json", "lakeside", "imported"),
            ("longmemeval_sample.json", "sample_multi", "sentences"),
        ):
            path = DATA / sample
            parse = seconds(partial(parsed, path))[0]
            load = seconds(partial(load_file, bench.store, path))[0]
            again = seconds(partial(load_file, bench.store, path))[0]
            rows.append((f"load {sample}", f"{load * 1e3:.0f}", f"{parse * 1e3:.0f}", f"{load / parse:.1f}×"))
            rows.append((f"load {sample} again", f"{again * 1e3:.0f}", f"{load * 1e3:.0f}", f"{again / load:.2f}×"))
            key = bench.store.resolve(conversation)
            method = CueMem(cue_source=cues)
            build = seconds(partial(bench.build, key, method, DATA / "cues"))[0]
            opened = seconds(partial(bench.memory, key, method))[0]
            rows.append(
                (
                    f"open {conversation} ({cues})",
                    f"{opened * 1e3:.0f}",
                    f"{build * 1e3:.0f}",
                    f"{build / opened:.0f}×",
                )
            )
    show("Store (milliseconds)", ("what", "ours", "reference", "ratio"), rows)


if __name__ == "__main__":
    main()
