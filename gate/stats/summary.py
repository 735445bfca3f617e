"""Two printed means compared: what mean, spread and count can bear, and not more.

A *relative error* is c = s / (m sqrt(n)), with mean m, standard deviation s and n trials of a
side. By the delta method log m has the standard error c, and the log ratio of two means has
hypot(c_head, c_base). Its limits:

*Arithmetic means, near-normal trials.* That the true ratio of A to B is at most k is refuted
when a - k b > t sqrt(a^2 c_a^2 + k^2 b^2 c_b^2): linear in the means, so that no logarithm of a
normal variable is needed (Fieller 1954). Solved for k, with x = (t c_a)^2 and y = (t c_b)^2:

    lower limit = (a/b) (1 - x) / (1 + sqrt(x + y (1 - x)))

and no limit at all where x >= 1. For small errors its log is log(a/b) - t hypot(c_a, c_b), the
delta method. The upper limit is the reciprocal of the lower limit of b/a.

*Geometric means, near-log-normal trials.* The log of the mean is the mean of the logs, so the
limits are log(a/b) -+ t hypot(c_a, c_b) themselves, with s/m for the deviation of the logs.

*The quantile t* is Student's with min(n_a, n_b) - 1 degrees of freedom. The statistic is
Z / sqrt(w U + (1 - w) V), with unknown weight w and U, V chi-square over their degrees of
freedom; its tail is the mean of Phi(-t sqrt(w U + (1 - w) V)), which is convex in w, so it is
largest at w = 0 or w = 1, where it is Student's (Mickey and Brown 1966). The bound is exact
whatever the two spreads are. The degrees of freedom of Welch and Satterthwaite are an
approximation and do not hold at a suite's share of alpha: of 2 trials against 10 an unchanged
pair exceeds the quantile of 0.1 % in up to 2.5 % of the cases.

*Printed digits.* A mean is known to half its last digit. Both means are taken at their worst
within it, and the spread at its largest; a spread below `robust.FLOOR` is not believed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.model import Better, MeanKind
from gate.stats.robust import FLOOR
from gate.stats.special import student

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.model import Figures, SummaryRow

_NO_LIMIT = math.log(1000.0)
"""A limit that lies a thousandfold away from the means says nothing."""
_MOST_TRIALS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanRatio:
    """Two means and how far their ratio is known, in log loss."""

    loss: float
    low: float | None
    """Lower limit at alpha; None where the figures give none."""
    high: float | None
    """Upper limit at beta."""
    error: float
    """Standard error of the loss (delta method), with the spread at its largest."""
    slack: float
    """How far the printed digits alone may have moved the loss."""
    freedom: int
    detectable: float | None
    """Smallest true loss that would be proven with probability 1 - beta."""
    spread: float | None = None
    """Between sittings, where the noise comes from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A row as a ratio of costs, larger is worse: which mean stands above, and how it was made."""

    above: Figures
    below: Figures
    mean: MeanKind

    @classmethod
    def of(cls, row: SummaryRow, mean: MeanKind) -> Ratio:
        """Head over base where lower is better, base over head where higher is."""
        sides = (row.head, row.base)
        above, below = sides if row.metric.better is Better.LOWER else sides[::-1]
        return cls(above=above, below=below, mean=mean)

    @property
    def loss(self) -> float:
        """The log loss of the means as printed."""
        return math.log(self.above.mean) - math.log(self.below.mean)

    @property
    def slack(self) -> float:
        """The log loss that rounding alone can account for."""
        return -sum(math.log1p(-one.mean_slack / one.mean) for one in (self.above, self.below))

    def reach(self, chance: float, trials: tuple[int, int] | None = None) -> tuple[float, float]:
        """How far below and above the loss its limits lie, each missed with this probability.

        `trials` above and below stand in for the printed ones.
        """
        above, below = trials or (self.above.trials, self.below.trials)
        t = student(1 - chance, min(above, below) - 1)
        first, second = deviation(self.above), deviation(self.below)
        first, second = t * first / math.sqrt(above), t * second / math.sqrt(below)
        if self.mean is MeanKind.GEOMETRIC:
            return math.hypot(first, second), math.hypot(first, second)
        return _fieller(first, second), _fieller(second, first)


def known_spread(row: SummaryRow) -> bool:
    """Whether both sides have a spread above zero, of two trials or more."""
    return all(bool(side.sd) and side.trials > 1 for side in row.sides)


def compare_means(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> MeanRatio:
    """Compare a row of known spread; the lower limit holds `alpha`, the upper one `beta`."""
    ratio = Ratio.of(row, mean)
    error = math.hypot(*(deviation(side) / math.sqrt(side.trials) for side in row.sides))
    freedom = min(side.trials for side in row.sides) - 1
    down, up = ratio.reach(alpha)[0], ratio.reach(beta)[1]
    power = student(1 - beta, freedom) * error
    return MeanRatio(
        loss=ratio.loss,
        low=limit(ratio.loss, -(down + ratio.slack)),
        high=limit(ratio.loss, up + ratio.slack),
        error=error,
        slack=ratio.slack,
        freedom=freedom,
        detectable=limit(math.log1p(row.metric.tau), down + ratio.slack + power),
    )


def means_to_decide(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> int | None:
    """Trials a side after which a claim would hold, if means and spread stayed as printed.

    None where no number does that: the means are printed too coarsely, or the spread is too large.
    """
    ratio = Ratio.of(row, mean)
    over = ratio.loss - ratio.slack - math.log1p(row.metric.tau)
    under = math.log1p(row.metric.tolerance) - ratio.loss - ratio.slack

    def decided(trials: int) -> bool:
        down, up = (ratio.reach(chance, (trials, trials)) for chance in (alpha, beta))
        return down[0] < over or up[1] < under

    return least_trials(decided)


def least_trials(decided: Callable[[int], bool]) -> int | None:
    """The least number of trials, 2 at least, that decides; None where a million do not."""
    most = 2
    while not decided(most):
        most *= 2
        if most > _MOST_TRIALS:
            return None
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if decided(middle) else (middle, most)
    return most


def deviation(side: Figures) -> float:
    """Relative standard deviation of the trials, printed digits at their worst."""
    return max(((side.sd or 0.0) + side.sd_slack) / (side.mean - side.mean_slack), FLOOR)


def _fieller(first: float, second: float) -> float:
    """Log distance from a ratio down to its lower limit; relative errors times t."""
    x, y = first * first, second * second
    if x >= 1:
        return math.inf
    return math.log1p(math.sqrt(x + y * (1 - x))) - math.log1p(-x)


def limit(centre: float, distance: float) -> float | None:
    """The limit at a distance from the loss; None where it is too far to say anything."""
    return centre + distance if abs(distance) < _NO_LIMIT else None
