"""How the flagged metrics share the suite's alpha.

The chance that any of m unchanged metrics is called regressed is at most the sum of their error
bounds, however they depend on each other. The bounds need not be equal: the pairs are fresh data,
so any shares that the screen alone decides, and that sum to 1, keep the promise. A metric far
beyond its noise gets nearly all, so that a clear loss is proven as quickly as if it stood alone;
one that was flagged because it could not be cleared needs its share only if it turns out to be
slower after all, and then pays with a pair or two.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_EQUAL_PART = 0.1
"""This much is shared equally, whatever the screen saw."""
_MOST = 8.0


def shares(strengths: Sequence[float]) -> tuple[float, ...]:
    """Shares of alpha that sum to 1.

    `strengths` are the flagged metrics' losses beyond tau in standard errors of the screen.
    """
    weights = [math.exp(min(max(strength, 0.0), _MOST)) for strength in strengths]
    total = sum(weights)
    return tuple(
        _EQUAL_PART / len(weights) + (1 - _EQUAL_PART) * weight / total for weight in weights
    )
