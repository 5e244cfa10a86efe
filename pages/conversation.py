"""Conversation: what was said, and where is the evidence?"""

from __future__ import annotations

from cuemem.ui import controls
from cuemem.ui.chat import page

page.draw(controls.inspected())
