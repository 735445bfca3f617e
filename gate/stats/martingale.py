r"""Stage 2 with sides: an anytime-valid test martingale on random-order pairs.

For pair differences d_i (log cost of head minus base), a centre c and a slope lam,

    E_n(c) = prod_i (1 + b tanh(lam (d_i - c))),   0 < b < 1.

A fair coin orders each pair, so under "the true loss is c" each d_i is symmetric about c given
the past, whatever drift, dependence or tails the noise has (assumption: the change multiplies
the value and nothing carries over inside a pair). tanh is odd, increasing and bounded: each
factor has conditional mean at most 1 for every true loss at most c. E_n(c) is a nonnegative
supermartingale, and by Ville's inequality P(sup_n E_n(c) >= 1/a) <= a at any stopping time.
b < 1 limits what one outlier can destroy to a factor 1 - b.

Sources: Ville 1939; de la Pena 1999 (symmetric noise); Howard et al. 2021 (confidence sequences).
Standard library only: the measuring process evaluates this between pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BET = 0.8
"""b: the largest share of the wealth that one pair can lose."""

_HALVINGS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRule:
    """The settings of one flagged metric's confirmation, all in log loss."""

    negligible: float
    """log(1 + tau): `regressed` needs a loss proven above this."""
    design: float
    """log(1 + T_d): `passed` needs a loss proven below this."""
    slope: float
    """lam of the bet."""
    alpha: float
    """Error bound of `regressed` for this metric, already divided by the flagged ones."""
    beta: float
    """Error bound of `passed`."""
    limit: int
    """Most pairs that may be spent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDecision:
    """What the pairs so far say."""

    verdict: str
    """`regressed`, `passed`, `undecided` or `spent`."""
    pairs: int
    """Pairs seen when it was decided, or so far."""
    low: float | None
    """Lower limit of the log loss at level alpha; absent with too few pairs."""
    high: float | None
    """Upper limit at level beta."""


def slope_for(negligible: float, design: float, sigma: float) -> float:
    """lam: the Gaussian-optimal slope, capped so that one pair is not all or nothing."""
    return min((design - negligible) / sigma**2, 4.0 / sigma)


def decide(differences: Sequence[float], rule: PairRule) -> PairDecision:
    """Run through the pairs in order and stop at the first proof.

    `differences` are log losses of head against base, one per complete pair.
    """
    proof_of_loss = -math.log(rule.alpha)
    proof_of_none = -math.log(rule.beta)
    loss = none = 0.0
    seen = tuple(differences)
    for count, difference in enumerate(seen, start=1):
        loss += math.log1p(BET * math.tanh(rule.slope * (difference - rule.negligible)))
        none += math.log1p(BET * math.tanh(rule.slope * (rule.design - difference)))
        if loss >= proof_of_loss:
            return _decision("regressed", seen[:count], rule)
        if none >= proof_of_none:
            return _decision("passed", seen[:count], rule)
    left = rule.limit - len(seen)
    best = left * math.log1p(BET)
    hopeless = loss + best < proof_of_loss and none + best < proof_of_none
    return _decision("spent" if left <= 0 or hopeless else "undecided", seen, rule)


def _decision(verdict: str, seen: tuple[float, ...], rule: PairRule) -> PairDecision:
    low, high = limits(seen, rule)
    return PairDecision(verdict=verdict, pairs=len(seen), low=low, high=high)


def limits(differences: Sequence[float], rule: PairRule) -> tuple[float | None, float | None]:
    """Confidence limits of the log loss: the same martingale, inverted over its centre.

    The lower limit is the largest c that the pairs refute from below at level alpha, so
    `regressed` and "lower limit above log(1 + tau)" are one statement; likewise the upper
    limit, level beta and `passed`. Absent where the pairs refute no c at all.
    """

    def wealth_above(centre: float) -> float:
        return _peak([difference - centre for difference in differences], rule.slope)

    def wealth_below(centre: float) -> float:
        return _peak([centre - difference for difference in differences], rule.slope)

    if not differences:
        return None, None
    # Far enough out that tanh is saturated: nothing beyond can add to the proof.
    reach = 40.0 / rule.slope
    least, most = min(differences) - reach, max(differences) + reach
    low = _crossing(wealth_above, -math.log(rule.alpha), least, most)
    high = _crossing(wealth_below, -math.log(rule.beta), most, least)
    return low, high


def _peak(gains: Sequence[float], slope: float) -> float:
    """Largest log wealth on the way."""
    total = peak = 0.0
    for gain in gains:
        total += math.log1p(BET * math.tanh(slope * gain))
        peak = max(peak, total)
    return peak


def _crossing(
    wealth: Callable[[float], float], needed: float, proven: float, open_end: float
) -> float | None:
    """The centre nearest `open_end` that is still refuted; None if not even `proven` is."""
    if wealth(proven) < needed:
        return None
    inside, outside = proven, open_end
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if wealth(middle) >= needed:
            inside = middle
        else:
            outside = middle
    return inside
