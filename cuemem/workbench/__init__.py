"""The composition root: settings → store, models, methods. The only place that builds them."""

from cuemem.workbench.loading import LoadReport, load_file
from cuemem.workbench.workbench import Workbench

__all__ = ["LoadReport", "Workbench", "load_file"]
