"""Background work: progress that a page polls, cancelling, and taking up again what a restart interrupted.

A task is known by its kind and gets all it needs as JSON, so whatever was begun can be begun again from its
record. One job of a kind runs at a time, the others wait; kinds run beside each other.
"""

from cuemem.jobs.jobs import Jobs, Task
from cuemem.jobs.runs import Job

__all__ = ["Job", "Jobs", "Task"]
