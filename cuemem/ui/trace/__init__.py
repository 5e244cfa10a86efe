"""The parts of the Trace page, from the question down to the context."""
