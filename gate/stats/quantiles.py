"""Quantiles of the t and normal distributions, and exact limits of a share.

Limits (Clopper and Pearson 1934): k of n were counted. The lower limit is the share at which k or
more would have been seen with probability (1 - confidence)/2, the upper one the share at which k
or fewer would. Both come from the beta distribution, whose quantiles invert the binomial sum. They
hold for every true share and every n, and are therefore a little wide.
"""

from __future__ import annotations

from functools import lru_cache

from gate.stats.special import beta_quantile, normal_quantile, student_quantile


@lru_cache(maxsize=1024)
def student(probability: float, freedom: float) -> float:
    """Quantile of Student's t."""
    return student_quantile(probability, freedom)


@lru_cache(maxsize=256)
def normal(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    return normal_quantile(probability)


CONFIDENCE = 0.95


def exact_limits(count: int, total: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Limits of the true share when `count` of `total` were seen.

    Raises:
        ValueError: the count is no part of the total, or the total is nothing.
    """
    if not 0 <= count <= total or total == 0:
        message = f"{count} of {total} is no share"
        raise ValueError(message)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else beta_quantile(count, total - count + 1, tail)
    high = 1.0 if count == total else beta_quantile(count + 1, total - count, 1 - tail)
    return low, high
