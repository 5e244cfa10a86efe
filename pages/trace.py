"""Trace: why did this question get this context?"""

from __future__ import annotations

from cuemem.ui import cache, controls, empty
from cuemem.ui.trace.asked import asked, figures
from cuemem.ui.trace.context import context
from cuemem.ui.trace.evidence import evidence
from cuemem.ui.trace.graph import graph
from cuemem.ui.trace.reading import Reading
from cuemem.ui.trace.stages import stages
from cuemem.ui.trace.whatif import what_if
from cuemem.ui.trace.why import why

scene = controls.inspected()
reading = Reading(scene, *empty.require(scene))
asked(reading.question, cache.flagged(scene.summary.conversation_id).get(reading.question.index))
figures(reading)
evidence(reading)
stages(reading)
graph(reading)
why(reading)
context(reading)
what_if(reading)
