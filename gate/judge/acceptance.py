"""Which sessions may become a baseline, and what becomes of it."""
