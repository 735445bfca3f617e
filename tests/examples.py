"""How many examples a law is tried on that needs fewer than most, or more."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def examples(share: float, **more: Any) -> settings:
    """`share` of what the profile says, which is 25 for a change and 300 at night."""
    return settings(max_examples=max(1, round(share * settings.default.max_examples)), **more)
