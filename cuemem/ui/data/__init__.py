"""The Data page: load, check, build, and look after the store."""
