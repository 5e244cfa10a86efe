"""The outside world: the only code that imports duckdb, litellm or sentence-transformers."""
