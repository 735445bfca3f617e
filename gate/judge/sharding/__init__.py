"""A check spread over several machines: its parts, and their reports joined."""
