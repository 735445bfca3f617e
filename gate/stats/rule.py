"""The version of the decision rule: what was calibrated with another one says nothing of it."""

RULE = "2"
"""Raise it with every change that lets the same numbers end in another verdict."""
