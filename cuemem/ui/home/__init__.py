"""The Home page: the ways in, what was looked at last, and whether it works here."""
