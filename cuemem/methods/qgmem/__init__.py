"""QGMem: event-centric memory with query-aware graph augmentation, section III of its paper.

``construction`` is III-A, ``activation`` III-B, ``generation`` III-C; ``method`` calls them in order.
"""
