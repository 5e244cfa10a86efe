"""Units: what is a memory of events made of, and which of its states holds now?"""

from __future__ import annotations

from cuemem.ui import controls
from cuemem.ui.units import page

page.draw(controls.inspected())
