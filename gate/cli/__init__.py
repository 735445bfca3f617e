"""Commands, wiring and exit status."""
