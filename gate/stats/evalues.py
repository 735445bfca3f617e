r"""Evidence of one block of trials in random order, as a number that is 1 on average by luck.

A block is n base and n head trials in an order drawn with equal chance from all C(2n, n). Let
y_j be its log costs, the centre c taken off those of the head. For scores a_j of the y_j,

    E = exp(sum of a_j over the head trials) / mean over all choices of n trials of the same.

Were every head trial dearer than its slot's base cost by exactly c, all choices would be equally
likely given the y, whatever the noise, its dependence or its drift: the mean of E is exactly 1.
All scores below make E no smaller when a head value grows, so with every head trial dearer by
at most c the mean of E is at most 1. No symmetry, no normality and no independence is assumed,
only the random order, an effect that multiplies the value, and that nothing carries over.

- *linear* scores, a_j = lam y_j: for normal noise with variance s^2 and lam = distance / s^2 the
  likelihood ratio of a shift by `distance` against none; the best there is where noise is normal.
- *rank* scores, a_j = g rank(y_j): one wild trial moves them no more than any other.
- *slow* scores, a_j = log(odds) for y_j above a limit fixed before the block, else 0: where a lone
  trial of a block is beyond, E is 2 odds / (1 + odds) if it is the head's, else 2 / (1 + odds).

One block of n pairs is worth at most C(2n, n): 252 for five pairs, where five pairs with a coin
each are worth 2^5 = 32. This is why few trials suffice. The mean over all choices is an
elementary symmetric polynomial of exp(a_j), computed in O(n^2).

Sources: Fisher 1935 (randomisation test); Vovk and Wang 2021 (e-values); Good 2005 (order of
trials as the only source of chance). Standard library only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = 650.0
"""Largest exponent that floats take in the products below."""


def linear(base: Sequence[float], head: Sequence[float], slope: float) -> float:
    """Log E with linear scores; base and head have one length, at least 1."""
    return _log_evidence([slope * x for x in base], [slope * x for x in head])


def rank_evidence(base: Sequence[float], head: Sequence[float], slope: float) -> float:
    """Log E with rank scores: -slope to slope from the smallest to the largest value, nearly.

    Of equal values the head's ranks lower, which can only weaken the evidence.
    """
    count = len(base)
    order = sorted(
        [(x, 1, j) for j, x in enumerate(base)] + [(x, 0, j) for j, x in enumerate(head)]
    )
    scores: tuple[list[float], list[float]] = ([], [])
    for rank, (_, is_base, _) in enumerate(order):
        scores[is_base].append(slope * (rank - (2 * count - 1) / 2) / count)
    return _log_evidence(scores[1], scores[0])


def slow_evidence(base: Sequence[float], head: Sequence[float], limit: float, odds: float) -> float:
    """Log E with slow scores; `odds` are at least 1."""
    score = math.log(odds)
    return _log_evidence([score * (x > limit) for x in base], [score * (x > limit) for x in head])


def _log_evidence(base: Sequence[float], head: Sequence[float]) -> float:
    scores = [*base, *head]
    middle = sum(scores) / len(scores)
    centred = [score - middle for score in scores]
    chosen = len(head)
    return sum(head) - middle * chosen - _log_mean(centred, chosen)


def _log_mean(scores: Sequence[float], chosen: int) -> float:
    """Log of the mean, over all choices of `chosen` scores, of exp(their sum)."""
    if max(scores) * chosen > _LARGEST:
        return _log_mean_far(scores, chosen)
    sums = [1.0] + [0.0] * chosen
    for score in scores:
        weight = math.exp(score)
        for size in range(chosen, 0, -1):
            sums[size] += sums[size - 1] * weight
    return math.log(sums[chosen] / math.comb(len(scores), chosen))


def _log_mean_far(scores: Sequence[float], chosen: int) -> float:
    """The same in logs throughout, for scores whose exponentials no float holds."""
    sums = [0.0] + [-math.inf] * chosen
    for score in scores:
        for size in range(chosen, 0, -1):
            low, high = sorted((sums[size], sums[size - 1] + score))
            sums[size] = high if low == -math.inf else high + math.log1p(math.exp(low - high))
    return sums[chosen] - math.log(math.comb(len(scores), chosen))
