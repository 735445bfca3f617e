"""Whether a sitting is another kind of sitting than the accepted ones: its trials' scatter."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST_SERIES = 5
"""Fewer series than this may scatter by bad luck or by the change itself."""
_MOST = 4.0
"""Recorded sittings lie within 1.5 of the usual scatter, but for the bad ones: 30 and above."""


def unusual_scatter(times: Sequence[float]) -> float | None:
    """The typical scatter of a suite where it is out of the ordinary, else None.

    `times` are the standard deviations of each metric's trials as multiples of the accepted.
    """
    if len(times) < _LEAST_SERIES or (typical := median(times)) <= _MOST:
        return None
    return typical
