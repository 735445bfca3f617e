"""Special functions, quantiles and exact limits of a share, without numpy and scipy.

Loading scipy's takes a tenth of a second, a third of what a check computes at all. Normal
distribution: the C library's erfc, and Wichura's AS 241 of the standard library. Psi functions:
recurrence up to 12, then the asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.12). Incomplete
beta function: the continued fraction of Lentz's method (Numerical Recipes 6.4); its inverse by
Newton's method inside a bracket.

Limits of a share (Clopper and Pearson 1934): k of n were counted. The lower limit is the share at
which k or more would have been seen with probability (1 - confidence)/2, the upper one the share at
which k or fewer would. Both come from the beta distribution, whose quantiles invert the binomial
sum. They hold for every true share and every n, and are therefore a little wide.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""B2, B4, ... B14."""
_LARGE = 12.0
"""Argument from which on the series of the psi functions are exact to the last digit."""
_TINY, _CLOSE = 1e-300, 4e-16
_MOST_STEPS = 100_000
_NORMAL = NormalDist()


def normal_below(place: float) -> float:
    """Chance that a standard normal value is at most this."""
    return 0.5 * math.erfc(-place / math.sqrt(2))


@lru_cache(maxsize=256)
def normal(probability: float) -> float:
    """Quantile of the standard normal distribution, at a probability of 0 to 1 exclusive."""
    return _NORMAL.inv_cdf(probability)


def digamma(x: float) -> float:
    """Slope of the log of the gamma function, for x above 0."""
    shift = 0.0
    while x < _LARGE:
        shift -= 1 / x
        x += 1
    rest = sum(b / (k * x**k) for k, b in _even(_BERNOULLI))
    return shift + math.log(x) - 1 / (2 * x) - rest


def trigamma(x: float) -> float:
    """Slope of digamma, for x above 0."""
    shift = 0.0
    while x < _LARGE:
        shift += 1 / x**2
        x += 1
    rest = sum(b / x ** (k + 1) for k, b in _even(_BERNOULLI))
    return shift + 1 / x + 1 / (2 * x**2) + rest


def tetragamma(x: float) -> float:
    """Slope of trigamma, for x above 0."""
    shift = 0.0
    while x < _LARGE:
        shift -= 2 / x**3
        x += 1
    rest = sum((k + 1) * b / x ** (k + 2) for k, b in _even(_BERNOULLI))
    return shift - 1 / x**2 - 1 / x**3 - rest


def _even(terms: tuple[float, ...]) -> list[tuple[int, float]]:
    """The terms with their orders 2, 4, 6 ..."""
    return [(2 * number, term) for number, term in enumerate(terms, start=1)]


@lru_cache(maxsize=1024)
def student(probability: float, freedom: float) -> float:
    """Quantile of Student's t, at a probability of 0 to 1 exclusive."""
    tails = 2 * min(probability, 1 - probability)
    if math.isinf(freedom):
        return normal(probability)
    if tails > 0.5:  # near the middle, where the share of the tails is near 1
        inside = beta_quantile(0.5, freedom / 2, 1 - tails)
        size = math.sqrt(freedom * inside / (1 - inside))
    else:
        outside = beta_quantile(freedom / 2, 0.5, tails)
        size = math.sqrt(freedom * (1 - outside) / outside)
    return math.copysign(size, probability - 0.5)


def beta_quantile(a: float, b: float, probability: float) -> float:
    """The share of which the regularised incomplete beta function of a and b is the probability."""
    if probability in {0, 1}:
        return float(probability)
    low, high, x = 0.0, 1.0, a / (a + b)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    while high - low > _CLOSE * high:
        above = beta_below(a, b, x) - probability
        low, high = (low, x) if above > 0 else (x, high)
        slope = math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - log_beta)
        after = x - above / slope if slope > _TINY else math.nan
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - x) <= _CLOSE * x:
            return after
        x = after
    return x


def beta_below(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function: the chance that a beta variable is below x."""
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    weight = math.exp(log + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return weight / a / _fraction(a, b, x)
    return 1 - weight / b / _fraction(b, a, 1 - x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, from the front (Lentz 1976)."""
    upper, lower = 1.0, 0.0
    whole = 1.0
    for number in range(1, _MOST_STEPS):
        half, odd = divmod(number, 2)
        numerator = (
            -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
            if odd
            else half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        )
        lower = 1 / (_away(1 + numerator * lower))
        upper = _away(1 + numerator / upper)
        whole *= upper * lower
        if abs(upper * lower - 1) < _CLOSE:
            break
    return whole


def _away(number: float) -> float:
    """The number, or one that can be divided by."""
    return number if abs(number) > _TINY else _TINY


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
