"""Any row of printed figures: which comparison it bears, and how many trials would decide it.

A plain row is compared by `gate.stats.summary`; a group of points, and sittings, by their logs.

*A group* takes one figure f of the curve y_1 ... y_m of its points. Each log y_i has the standard
error c_i = s_i / (y_i sqrt(n_i)), independent of the others, so by the delta method

    variance of log f  =  sum of (d log f / d log y_i  c_i)^2

with derivatives 1/m for the geometric mean and -1 and +1 at the ends for scaling. They are taken as
differences over one standard error, the larger one of both directions, so that the kinks of a knee
within reach are seen. The quantile is Student's with the fewest degrees of freedom of all points:
the tail is convex in the weights of the points' variances, hence largest where all weight lies on
one of them (the argument of `gate.stats.summary`, for any number of terms).

*Sittings* of a side are independent replicates x_1 ... x_k in logs, each a mean of its own trials,
or what a group takes of one sitting's points. What they differ by is the noise; what the trials of
one sitting differ by is not looked at. Their sample standard deviation is s.

    sittings on both sides:  standard error hypot(s_a / sqrt(k_a), s_b / sqrt(k_b)), as above
    sittings on one side:    the other side's single figure is predicted from them,
                             s sqrt(r + 1/k), with k - 1 degrees of freedom

The second is the prediction interval of one further normal draw: exact, provided the single figure
is as noisy as a sitting of the other side. r is 1, or, where it is a mean of fewer trials than a
sitting, how many times fewer: then its variance is at most r times as large, as only what comes
from the trials grows.

*Printed digits.* Each figure may lie half its last digit d_i off. What it takes is moved by the sum
of what each may move, and s by at most sqrt(sum of d_i^2 / (k - 1)), since s is a norm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from gate.model import Take
from gate.model.metric import take_of
from gate.stats.robust import FLOOR
from gate.stats.special import student
from gate.stats.summary import (
    MeanRatio,
    Ratio,
    compare_means,
    deviation,
    known_spread,
    least_trials,
    limit,
    means_to_decide,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Figures, MeanKind, Metric, SummaryRow

_FARTHEST = 10.0
"""A value is moved by this log distance at most, and what that does is taken in proportion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowNoise:
    """How noisy the log loss of a row is."""

    error: float
    """Its standard error."""
    freedom: int
    single: float
    """The standard error that one trial a side, or one sitting, would give."""
    slack: float
    """How far the printed digits may have moved the loss."""
    spread: float | None = None
    """Between sittings, where it comes from them: the larger one of both sides."""


def known_noise(row: SummaryRow) -> bool:
    """Whether the noise of a row is known: from sittings that differ, else from spreads.

    Spreads are needed on both sides, and of a group at every point, above zero and of two trials
    or more.
    """
    sides = [side for side in row.sides if side.sittings]
    if sides:
        return all(sittings_differ(side) for side in sides)
    return all(known_spread(point) for point in row.points or (row,))


def sittings_differ(side: Figures) -> bool:
    """Whether its sittings differ at all: figures that agree in every digit show no noise."""
    return len({one.mean for one in side.sittings}) > 1


def compare(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> MeanRatio:
    """Compare a row of known noise; the lower limit holds `alpha`, the upper one `beta`."""
    chosen = _compare_logs if _needs_logs(row) else compare_means
    return chosen(row, mean, alpha, beta)


def trials_to_decide(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> int | None:
    """Trials a side, or sittings, after which a claim would hold if all else stayed as printed."""
    chosen = _logs_to_decide if _needs_logs(row) else means_to_decide
    return chosen(row, mean, alpha, beta)


def _needs_logs(row: SummaryRow) -> bool:
    return bool(row.points) or any(side.sittings for side in row.sides)


def _compare_logs(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> MeanRatio:
    """Compare a group or sittings; the lower limit holds `alpha`, the upper one `beta`."""
    noise = _noise(row)
    loss = Ratio.of(row, mean).loss
    down = student(1 - alpha, noise.freedom) * noise.error + noise.slack
    up = student(1 - beta, noise.freedom) * noise.error
    return MeanRatio(
        loss=loss,
        low=limit(loss, -down),
        high=limit(loss, up + noise.slack),
        error=noise.error,
        slack=noise.slack,
        freedom=noise.freedom,
        detectable=limit(math.log1p(row.metric.tau), down + up),
        spread=noise.spread,
    )


def _logs_to_decide(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> int | None:
    """Trials a side, or sittings, after which a claim would hold if all else stayed as printed."""
    noise = _noise(row)
    loss = Ratio.of(row, mean).loss
    return _needed(loss, noise.slack, noise.single, row.metric, alpha, beta)


def assumed_to_decide(
    row: SummaryRow, mean: MeanKind, spread: float, alpha: float, beta: float
) -> int | None:
    """Trials a side that would decide, were this the relative spread of the trials of each point.

    For figures of which no spread is printed. None where no number of trials does it.
    """
    single = math.hypot(*(_error(row, side, [spread] * len(_points(row))) for side in range(2)))
    slack = sum(_slack(row, side) for side in range(2))
    return _needed(Ratio.of(row, mean).loss, slack, single, row.metric, alpha, beta)


def _needed(
    loss: float, slack: float, single: float, metric: Metric, alpha: float, beta: float
) -> int | None:
    over = loss - slack - math.log1p(metric.tau)
    under = math.log1p(metric.tolerance) - loss - slack

    def decided(trials: int) -> bool:
        error = single / math.sqrt(trials)
        down, up = (student(1 - chance, trials - 1) * error for chance in (alpha, beta))
        return down < over or up < under

    return least_trials(decided)


def _noise(row: SummaryRow) -> RowNoise:
    slack = sum(_slack(row, side) for side in range(2))
    if any(side.sittings for side in row.sides):
        return _of_sittings(row, slack)
    errors, singles = [], []
    for side in range(2):
        figures = [point.sides[side] for point in _points(row)]
        spreads = [deviation(one) for one in figures]
        singles.append(_error(row, side, spreads))
        pairs = zip(spreads, figures, strict=True)
        errors.append(_error(row, side, [s / math.sqrt(one.trials) for s, one in pairs]))
    return RowNoise(
        error=math.hypot(*errors),
        freedom=min(side.trials for point in _points(row) for side in point.sides) - 1,
        single=math.hypot(*singles),
        slack=slack,
    )


def _of_sittings(row: SummaryRow, slack: float) -> RowNoise:
    spreads = {i: _between(row, i) for i, side in enumerate(row.sides) if side.sittings}
    counts = {i: len(row.sides[i].sittings) for i in spreads}
    freedom, widest = min(counts.values()) - 1, max(spreads.values())
    if len(spreads) > 1:
        parts = [spreads[i] / math.sqrt(counts[i]) for i in spreads]
        error, single = math.hypot(*parts), math.hypot(*spreads.values())
    else:
        (known,) = spreads
        sitting = max(one.trials for one in row.sides[known].sittings)
        fewer = max(1.0, sitting / row.sides[1 - known].trials)
        error = widest * math.sqrt(fewer + 1 / counts[known])
        single = widest * math.sqrt(2)
    return RowNoise(error=error, freedom=freedom, single=single, slack=slack, spread=widest)


def _between(row: SummaryRow, side: int) -> float:
    """Standard deviation of the logs of a side's sittings, printed digits at their worst."""
    sittings = row.sides[side].sittings
    moved = [_rounding(row, side, number) for number in range(len(sittings))]
    more = math.sqrt(sum(one * one for one in moved) / (len(moved) - 1))
    return max(stdev(math.log(one.mean) for one in sittings) + more, FLOOR)


def _slack(row: SummaryRow, side: int) -> float:
    """How far the printed digits may have moved the log of a side's figure."""
    count = len(row.sides[side].sittings)
    if not count:
        return _rounding(row, side, None)
    return fmean(_rounding(row, side, number) for number in range(count))


def _rounding(row: SummaryRow, side: int, number: int | None) -> float:
    """The same of one sitting, or of the side where it has none."""
    figures = [_sitting(point.sides[side], number) for point in _points(row)]
    by = [-math.log1p(-one.mean_slack / one.mean) for one in figures]
    return sum(_moves(row, [one.mean for one in figures], by))


def _error(row: SummaryRow, side: int, errors: Sequence[float]) -> float:
    """Standard error of the log of a side's figure, from those of the logs of its points."""
    values = [point.sides[side].mean for point in _points(row)]
    return math.hypot(*_moves(row, values, errors))


def _points(row: SummaryRow) -> tuple[SummaryRow, ...]:
    """The rows of a group; any other row is its own and only point."""
    return row.points or (row,)


def _sitting(side: Figures, number: int | None) -> Figures:
    return side if number is None else side.sittings[number]


def _moves(row: SummaryRow, values: Sequence[float], by: Sequence[float]) -> list[float]:
    """How far the log of what a row takes is moved when each value is, by its own log distance."""
    derived = row.metric.derived
    if derived is None:
        return list(by)
    places = [float(place) for place in row.places] if derived.take is Take.KNEE else []

    def taken(changed: Sequence[float]) -> float:
        return math.log(take_of(derived.take, changed, places))

    centre, moves = taken(values), []
    for i, distance in enumerate(by):
        step = min(distance, _FARTHEST)
        changed = (
            [*values[:i], values[i] * math.exp(sign * step), *values[i + 1 :]] for sign in (-1, 1)
        )
        largest = max(abs(taken(one) - centre) for one in changed)
        moves.append(largest * distance / step if step else 0.0)
    return moves
