"""Pictures of a sweep: all settings against tokens, heat-maps of two knobs, ways of choosing turns side by side."""

from __future__ import annotations

from cuemem.viz.sweep.cloud import Kind, Marked, cloud, with_edges
from cuemem.viz.sweep.heat import Heat, heat
from cuemem.viz.sweep.lines import Way, lines

__all__ = ["Heat", "Kind", "Marked", "Way", "cloud", "heat", "lines", "with_edges"]
