"""The Answers page: the same question answered from several contexts, beside each other."""
