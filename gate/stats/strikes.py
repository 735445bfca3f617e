"""Stage 2 without sides: fresh head sessions against the accepted ones, by ranks.

If the S accepted sessions and the k fresh ones are exchangeable (no change, a steady host), every
way to mark k of the S + k as fresh is equally likely, so the chance that the fresh ones beat the
accepted ones in at least u of the S k comparisons is a count of arrangements: the exact test of
Mann and Whitney (1947), with no assumption on the noise. tau is taken off the fresh sessions
first. Besides that proof, the estimated loss must be at least 0.75 T, and against the newest
accepted session alone it must be above tau: a host that moved a little for good, or that moved
before the baseline's end, is a common thing, and ranks cannot tell it from a change.

The bound is used for every metric that is judged, not only for the flagged ones: the screen
looked at the same baseline, so conditioning on its flag would not be covered. What voids it: a
host that drifts or steps between the baseline and today breaks exchangeability, and the report
says so; on a cloud machine recorded for 16 months such steps are what false alarms are left.

Ten strikes, because ranks need numbers: against 20 accepted sessions they find a loss of 5 % on
82 % of the recorded runner's series at 0.05 % per metric, where "all fresh sessions beyond the
worst accepted one" finds 39 to 58 %.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

STRIKES = 10
"""Fresh sessions that a flagged metric takes, where so many can hold its share of alpha."""
_MOST_STRIKES = 14
LEAST_SHARE = 0.75
"""Of the tolerance, what the estimated loss must reach."""


def strikes_needed(sessions: int, alpha: float) -> int | None:
    """How many fresh sessions to take; None where even complete separation proves nothing."""
    for strikes in range(STRIKES, _MOST_STRIKES + 1):
        if 1 / math.comb(sessions + strikes, strikes) <= alpha:
            return strikes
    return None


def chance(wins: int, sessions: int, strikes: int) -> float:
    """Chance of at least so many wins among sessions x strikes comparisons, by luck."""
    return sum(_arrangements(sessions, strikes)[wins:]) / math.comb(sessions + strikes, strikes)


@lru_cache(maxsize=64)
def _arrangements(sessions: int, strikes: int) -> tuple[int, ...]:
    """Orders of sessions and strikes by number of wins of the strikes.

    The coefficients of the Gaussian binomial, the product over i = 1..k of
    (1 - q^(S + i)) / (1 - q^i): one pass to multiply and one to divide for each i.
    """
    counts = [1] + [0] * (sessions * strikes)
    for i in range(1, strikes + 1):
        for wins in range(len(counts) - 1, sessions + i - 1, -1):
            counts[wins] -= counts[wins - sessions - i]
        for wins in range(i, len(counts)):
            counts[wins] += counts[wins - i]
    return tuple(counts)


def wins(
    strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]], negligible: float
) -> int:
    """Comparisons that the strikes win: beyond an accepted session by more than tau (logs).

    Medians of different numbers of trials are not exchangeable: every session is cut to its
    first trials, as many as the shortest has.
    """
    fresh, accepted = _medians(strikes, sessions)
    return sum(one - negligible > other for one in fresh for other in accepted)


def estimated_loss(
    strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]]
) -> float:
    """Log loss: the median of all differences between fresh and accepted sessions."""
    fresh, accepted = _medians(strikes, sessions)
    return median([one - other for one in fresh for other in accepted])


def recent_loss(strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]]) -> float:
    """Log loss against the newest accepted session alone.

    A host that stepped to a slower level before the baseline's end shows in that session, too.
    """
    fresh, accepted = _medians(strikes, sessions)
    return median(fresh) - accepted[-1]


def _medians(
    strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]]
) -> tuple[list[float], list[float]]:
    least = min(len(session) for session in (*strikes, *sessions))
    return (
        [median(strike[:least]) for strike in strikes],
        [median(session[:least]) for session in sessions],
    )
