"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# The machines are shared: how long an example takes says nothing about it.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
