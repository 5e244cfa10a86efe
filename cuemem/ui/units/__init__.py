"""The Units page: what a memory is made of where it is made of memory units, and how their states followed."""
