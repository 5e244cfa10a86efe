"""Answers: does memory beat the full history here, and what does it save?"""

from __future__ import annotations

from cuemem.ui import controls
from cuemem.ui.answers import page

page.draw(controls.inspected())
