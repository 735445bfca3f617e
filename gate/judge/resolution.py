"""What a measurement cannot tell apart is no difference: its resolution, folded into the limits.

Light: the measuring process asks between blocks, so nothing here needs scipy.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.model import Better

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.pairing import Values
    from gate.stats.martingale import PairRule
    from gate.stats.screen import Limits

CLEAR = 0.64
"""Largest share of the tolerance that tau may be."""
_EVERYTHING = 1e6
"""The relative loss of a value that is no larger than what is taken off it."""
_ROUNDING = 1e-9


def beyond(tolerance: float, most: float) -> bool:
    """Whether a tolerance is above what may be judged at; rounding is not."""
    return tolerance > most * (1 + _ROUNDING)


def relative(step: float, centre: float, better: Better) -> float:
    """The relative loss that a step f is at a value v: f/v, or f/(v - f) where more is better."""
    if better is Better.LOWER:
        return step / centre if step < _EVERYTHING * centre else _EVERYTHING
    return step / (centre - step) if step < centre else _EVERYTHING


def at_resolution(limits: Limits, resolution: float, centre: float, better: Better) -> Limits:
    """The limits with tau no smaller than the resolution at this value, and T clear of it."""
    if resolution <= 0 or centre <= 0:
        return limits
    tau = max(limits.negligible, relative(resolution, centre, better))
    return replace(limits, negligible=tau, tolerance=max(limits.tolerance, tau / CLEAR))


def of_blocks(
    limits: Limits, resolution: float, blocks: Sequence[Values], better: Better
) -> Limits:
    """The same for pairs: their own resolution at their own base values."""
    base = [value for before, _ in blocks for value in before]
    usable = all(math.isfinite(value) and value > 0 for value in base)
    return at_resolution(limits, resolution, median(base), better) if base and usable else limits


def rule_of_blocks(
    rule: PairRule, resolution: float, blocks: Sequence[Values], better: Better
) -> PairRule:
    """The rule of a confirmation under those limits."""
    base = [value for before, _ in blocks for value in before]
    if resolution <= 0 or not base:
        return rule
    tau = max(math.expm1(rule.negligible), relative(resolution, median(base), better))
    return replace(
        rule,
        negligible=math.log1p(tau),
        tolerance=max(rule.tolerance, math.log1p(tau / CLEAR)),
    )
