"""The machine: what it is, and who measures on it."""
