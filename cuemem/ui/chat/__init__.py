"""The Conversation page: what was said, and where the evidence is."""
