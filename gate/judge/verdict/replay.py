"""What the promise without sides is worth here: accepted sessions replayed as a head's.

Strikes are taken in one sitting, the accepted sessions on many days. If hosts differed from day to
day only as trials do, that would not matter. They do not, so the bound of the rank test holds for
a host that is as steady today as it was, and no baseline of some twenty sessions can prove more. It
can tell how often that failed: of each accepted session, would ten fresh ones at its level have
proven a loss against those before it? Nothing was wrong with any of them. The share of such
sessions is an estimate, and its exact upper limit a bound, of how often an unchanged suite is
called regressed here for the host's own moves.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.verdict.series import key_of, series_of
from gate.judge.verdict.tolerance import in_force_of
from gate.stats.costs import LEAST_SESSIONS, usable
from gate.stats.special import exact_limits
from gate.stats.strikes import (
    chance,
    estimated_loss,
    least_loss,
    newest,
    recent_loss,
    strikes_needed,
    wins,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import Finding, Metric
    from gate.stats.costs import LossLimits

_MOST = 30
"""Newest accepted sessions that are replayed."""
_LEVEL = 0.9
"""Of two-sided limits; of the upper one alone 95 %."""


class Replayed(NamedTuple):
    """What came of it."""

    sessions: int
    regressed: int

    @property
    def limit(self) -> float:
        """Upper limit of the true share of sessions that would be called regressed."""
        return exact_limits(self.regressed, self.sessions, _LEVEL)[1] if self.sessions else 1.0


def replay(cases: Iterable[Case], findings: Iterable[Finding], alpha: float) -> Replayed:
    """Replay the accepted sessions of cases that pairs do not decide.

    What was judged is replayed, at the tolerances in force; `alpha` is one metric's part. Sessions
    of several profiles are counted from the newest.
    """
    closed: list[bool] = []
    raised = {
        (one.profile, one.benchmark, one.metric): one.tolerance_used
        for one in findings
        if one.method != "none"
    }
    for case in (one for one in cases if not one.by_pairs):
        for series in series_of(case):
            tolerance = raised.get(key_of(series))
            if not (series.gates and tolerance and all(map(usable, series.sessions))):
                continue
            own, limits = (
                series.session_costs,
                replace(in_force_of(series, None).limits, tolerance=tolerance),
            )
            for back in range(1, min(len(own) - LEAST_SESSIONS, _MOST) + 1):
                before = newest(own[: len(own) - back])
                closed += [False] * (back - len(closed))
                closed[back - 1] |= _proven(own[-back], before, series.metric, limits, alpha)
    return Replayed(len(closed), sum(closed))


def _proven(
    session: Sequence[float],
    before: Sequence[Sequence[float]],
    metric: Metric,
    limits: LossLimits,
    alpha: float,
) -> bool:
    """Whether ten sessions at the level of this one would prove a loss against those before it."""
    needed = strikes_needed(len(before), alpha)
    if needed is None:
        return False
    levels = [(median(one),) for one in before]
    strikes = [(median(session),)] * needed
    return (
        chance(wins(strikes, levels, limits.dead), len(levels), needed) <= alpha
        and estimated_loss(strikes, levels) >= least_loss(metric.tolerance, limits)
        and recent_loss(strikes, levels) > limits.dead
    )
