"""The Sweep page: which settings, and is it the graph or only more tokens?"""
