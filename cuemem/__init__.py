"""CueMem Lab: cue-guided context reconstruction for long-term conversational memory, and why it fails when it does.

The folder tree follows the paper (arXiv 2609.12354): ``methods/cuemem`` holds section 4, a file for each
subsection; everything else is what an experiment needs around it.
"""

__version__ = "0.1.0"
