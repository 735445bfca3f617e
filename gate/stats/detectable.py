"""What a metric can detect: the smallest tolerance that its noise can hold. One figure for all.

With sides a tolerance T is held by at most n pairs of noise sigma_d where

    log(1 + T) >= log(1 + tau) + 1.1 sigma_d sqrt(100 / n),    tau that of T.

From the martingale's growth: with kappa the distance log((1+T)/(1+tau)) / sigma_d, its log wealth
after n pairs is near normal with mean n kappa^2 / 2 and variance n kappa^2, and it must have passed
log(2/alpha) in 97 % of the cases; for n = 100 that is kappa = 0.6; shares of alpha, tails heavier
than normal and noise that differs from sitting to sitting make it 1.1 on recorded data. Without
sides the screen must be able to clear an unchanged metric (`noise.provable_with_strikes`).

The figure is rounded up to two digits once, here: it is what is judged by, what every output
prints, and what a profile says after the line that proposes it was committed.

How many more pairs a metric is likely to need until it is decided is a plan, and no decision.
A proof needs a log wealth w*, log(1/alpha) or log(1/beta), and has grown to w in n pairs. Before
any of them it was expected to take N (`pairs_to_pass`, `pairs_to_prove`). Its pace is taken to be

    p = (w + w*) / (n + N)

a pair, as if the expected pairs had been seen too: so few pairs that went well or badly by chance
do not rule what is measured next. What is left is (w* - w) / p, and no end in sight where p <= 0.
A metric also passes only when enough runs of the head were looked at (`tails`). The nearer of both
ends counts, in whole blocks, and never more than the limit leaves.

Standard library only: the measuring process asks between blocks.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model.plan import FIRST_BLOCK, NEXT_BLOCK
from gate.stats.costs import ratio
from gate.stats.martingale import log_wealth
from gate.stats.tails import is_clear, runs_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.stats.costs import LossLimits
    from gate.stats.martingale import Block, PairRule

LARGEST = 10.0
"""No tolerance beyond this (1000 %) is looked for."""
_LEAST = 1e-4
_HALVINGS = 30
_KAPPA = 1.1
_PAIRS = 100
_ROUNDING = 1e-9
_DIGITS = 2


def can_detect(
    limits_at: Callable[[float], LossLimits], provable: Callable[[LossLimits], float]
) -> float:
    """The smallest tolerance that is held, rounded up; infinite where none is.

    `limits_at` gives the limits of any tolerance, floor and resolution included; `provable` the
    smallest tolerance that the noise allows with such a negligible loss.
    """
    return round_up(least(lambda one: is_held(limits_at(one), provable, one)))


def is_held(
    limits: LossLimits, provable: Callable[[LossLimits], float], tolerance: float | None = None
) -> bool:
    """Whether the noise can hold this tolerance, by default that of the limits."""
    asked = limits.tolerance if tolerance is None else tolerance
    return max(limits.tolerance, provable(limits)) <= asked * (1 + _ROUNDING)


def provable_with_pairs(limits: LossLimits, sigma: float, pairs: int) -> float:
    """Smallest relative tolerance that this many pairs can hold beside the negligible loss."""
    return ratio(limits.dead + _KAPPA * math.sqrt(_PAIRS / pairs) * sigma)


def pairs_to_pass(tolerance: float, sigma: float) -> float:
    """Pairs that clear an unchanged metric of normal noise, on average; log(1 + T) and sigma."""
    return 10 / (tolerance / sigma) ** 2 + 2


def pairs_to_prove(tolerance: float, negligible: float, sigma: float) -> float:
    """Pairs that prove a true loss of the tolerance, on average; all in logs, as above."""
    return 11 / ((tolerance - negligible) / sigma) ** 2 + 2


def least(holds: Callable[[float], bool]) -> float:
    """The smallest relative tolerance of which `holds` is true, true of all larger ones."""
    low, high = math.log1p(_LEAST), math.log1p(LARGEST)
    if holds(ratio(low)):
        return ratio(low)
    if not holds(ratio(high)):
        return math.inf
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if holds(ratio(middle)):
            high = middle
        else:
            low = middle
    return ratio(high)


def round_up(tolerance: float) -> float:
    """The next ratio of two significant digits, never a smaller one: 0.0731 is 0.074."""
    if not math.isfinite(tolerance) or tolerance <= 0:
        return tolerance
    step = 10.0 ** (math.floor(math.log10(tolerance)) - _DIGITS + 1)
    return float(f"{math.ceil(tolerance / step - _ROUNDING) * step:.{_DIGITS}g}")


def further_pairs(blocks: Sequence[Block], rule: PairRule) -> int:
    """Pairs until these blocks of log costs, and more like them, are likely to be decided."""
    pairs = sum(len(base) for base, _ in blocks)
    to_pass = max(_until_none(blocks, rule, pairs), _until_clear(blocks, rule, pairs))
    likely = min(to_pass, _until_loss(blocks, rule, pairs), max(rule.limit - pairs, 0))
    return _whole_blocks(likely, pairs)


def _until_none(blocks: Sequence[Block], rule: PairRule, pairs: int) -> float:
    """Until a loss of the tolerance is ruled out; its proof stands once it is there."""
    wealth = max(log_wealth(blocks, rule, rule.tolerance, -1), default=0.0)
    expected = pairs_to_pass(rule.tolerance, rule.sigma)
    return _left(wealth, -math.log(rule.beta), pairs, expected)


def _until_loss(blocks: Sequence[Block], rule: PairRule, pairs: int) -> float:
    wealth = log_wealth(blocks, rule, rule.negligible, 1)
    expected = pairs_to_prove(rule.tolerance, rule.negligible, rule.sigma)
    if not wealth:
        return math.inf  # before the first pair a metric is taken to be unchanged
    return _left(wealth[-1], -math.log(rule.shift_alpha), pairs, expected)


def _left(wealth: float, needed: float, pairs: int, expected: float) -> float:
    pace = (wealth + needed) / (pairs + expected)
    return max(needed - wealth, 0.0) / pace if pace > 0 else math.inf


def _until_clear(blocks: Sequence[Block], rule: PairRule, pairs: int) -> float:
    """Until the head is cleared of slow runs, if no further run of either side is one."""
    runs, most = runs_in(blocks, rule.tails.screened, rule.slow), max(rule.limit - pairs, 0)
    for more in range(most):
        ahead = replace(runs, head_runs=runs.head_runs + more, base_runs=runs.base_runs + more)
        if is_clear(ahead, rule.tails, last=False):
            return more
    return most


def _whole_blocks(more: float, pairs: int) -> int:
    """As many pairs as the blocks hold that bring so many more."""
    first = max(FIRST_BLOCK - pairs, 0)
    rest = max(more - first, 0.0)
    return first + NEXT_BLOCK * math.ceil(rest / NEXT_BLOCK)
