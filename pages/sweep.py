"""Sweep: which settings win at which tokens, and is it the graph or only more tokens?"""

from __future__ import annotations

from cuemem.ui import controls
from cuemem.ui.sweep import page

page.draw(controls.inspected())
