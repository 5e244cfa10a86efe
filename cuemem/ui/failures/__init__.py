"""Failures: what fails most, worked off one by one."""
