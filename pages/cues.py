"""Cues: what did extraction keep or lose?"""

from __future__ import annotations

from cuemem.ui import controls
from cuemem.ui.cues import page

page.draw(controls.inspected())
