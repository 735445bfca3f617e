"""Quantiles of the t and normal distributions, the only place that asks scipy."""

from __future__ import annotations

from functools import lru_cache

from scipy.special import ndtri, stdtrit


@lru_cache(maxsize=1024)
def student(probability: float, freedom: float) -> float:
    """Quantile of Student's t."""
    return float(stdtrit(freedom, probability))


@lru_cache(maxsize=256)
def normal(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    return float(ndtri(probability))
