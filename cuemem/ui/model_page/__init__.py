"""The Models page: which language models are set, whether they answer, and the one on this machine."""
