"""Public files by address: into a cache folder, resumed where they broke off, checked, every fault a sentence."""

from cuemem.adapters.download.addresses import shown
from cuemem.adapters.download.fetch import LIMIT, Downloaded, download

__all__ = ["LIMIT", "Downloaded", "download", "shown"]
