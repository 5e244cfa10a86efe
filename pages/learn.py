"""Learn · Step by step: how does the method get from a question to its context?"""

from __future__ import annotations

from cuemem.ui.learn import page

page.draw()
