"""Learn · Step by step: the method for a class, in seven steps on one question, and a fair look at its limits."""
