"""Whether a machine is fit to measure on: one question each, with its cure."""
