r"""What a host can tell: the noise of a trial of fixed work, and the smallest loss above it.

*Noise* is the typical standard deviation of log times (`robust.within_session`: the median absolute
difference of all pairs of trials, scaled for a normal sample), the same figure that the gate takes
from the trials of accepted sessions. Being the Shamos scale it has the precision of a standard
deviation of 0.86 (n - 1) + 1 values, bears 29 % of wild trials, and one sitting's slow drift counts
as noise, of which pairs that stand back to back feel less.

*Smallest loss*, with n trials a side. The gate's own design: told apart are the negligible loss
tau = T/5 and the tolerance T, at error alpha one way and beta the other. The mean of n pair
differences of independent trials has the standard error sigma sqrt(2/n), so

    log(1+T) - log(1+T/5)  =  (t(1-alpha) + t(1-beta)) sigma sqrt(2/n)

solved for T, with Student's quantiles of the scale's freedom, as the scale is known from the
probe's own trials only. It needs no
scatter within the n trials, so that it holds for a single one too; for one or three it rests on
normal noise, which outliers are not, and on the host staying as it was in the probe.

That is what a test of fixed length tells at best. The gate's *pairs* stop as soon as they know, and
bear any noise and drift: they need more (`detectable.can_detect`), which is printed beside it.

Neighbouring trials that are alike (lag-1 autocorrelation of the log times, clipped at three scales)
make n trials worth fewer than n.
"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from gate.model.disturbance import HostNoise
from gate.stats import robust
from gate.stats.costs import LossLimits
from gate.stats.detectable import can_detect, least, provable_with_pairs
from gate.stats.special import student

if TYPE_CHECKING:
    from collections.abc import Sequence

TRIALS = (1, 3, 10, 30)
"""Trials a side for which the smallest loss is printed."""
PAIRS = (10, 30, 100)
"""Most pairs of a check for which the smallest tolerance is printed."""
LEAST_TRIALS = 5
_EFFICIENCY = 0.86
_NEGLIGIBLE = 1 / 5
"""Of the tolerance: the profile's usual negligible loss."""
_CLIP = 3.0


def host_noise(seconds: Sequence[float], *, alpha: float, beta: float) -> HostNoise:
    """The noise of trials of fixed work, in the order in which they ran.

    Raises:
        ValueError: there are fewer than five, or one took no time.
    """
    if len(seconds) < LEAST_TRIALS or not all(0 < one < math.inf for one in seconds):
        message = f"the noise of a host needs {LEAST_TRIALS} trials that took time"
        raise ValueError(message)
    logs = [math.log(one) for one in seconds]
    noise = max(robust.within_session([logs]), robust.FLOOR)
    freedom = _EFFICIENCY * (len(logs) - 1)
    return HostNoise(
        trials=len(logs),
        typical=math.exp(median(logs)),
        noise=noise,
        slowest=math.expm1(max(logs) - median(logs)),
        alike=_alike(logs, noise),
        detectable={n: smallest(noise, n, freedom, alpha, beta) for n in TRIALS},
        with_pairs={n: _held(noise, n) for n in PAIRS},
    )


def smallest(noise: float, trials: int, freedom: float, alpha: float, beta: float) -> float:
    """The smallest relative loss that so many trials a side tell from a fifth of it."""
    quantiles = student(1 - alpha, freedom) + student(1 - beta, freedom)
    apart = quantiles * noise * math.sqrt(2 / trials)

    def is_apart(tolerance: float) -> bool:
        return math.log1p(tolerance) - math.log1p(_NEGLIGIBLE * tolerance) >= apart

    return least(is_apart)


def _held(noise: float, pairs: int) -> float:
    """The smallest tolerance that the judge can hold with this noise and so many pairs."""
    sigma = math.sqrt(2) * noise

    def limits_at(tolerance: float) -> LossLimits:
        return LossLimits(tolerance=tolerance, negligible=_NEGLIGIBLE * tolerance)

    return can_detect(limits_at, lambda limits: provable_with_pairs(limits, sigma, pairs))


def _alike(logs: Sequence[float], scale: float) -> float:
    """Lag-1 autocorrelation about the median; no single wild trial makes or hides it."""
    middle = median(logs)
    steps = [max(-_CLIP, min(_CLIP, (one - middle) / scale)) for one in logs]
    whole = sum(one * one for one in steps)
    return sum(a * b for a, b in pairwise(steps)) / whole if whole else 0.0
