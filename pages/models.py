"""Models: which language models are asked, and do they answer?"""

from __future__ import annotations

from cuemem.ui.model_page import page

page.draw()
