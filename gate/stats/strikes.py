"""Stage 2 without sides: fresh head sessions against the accepted ones, by ranks.

If the S accepted sessions and the k fresh ones are exchangeable (no change, a steady host), every
way to mark k of the S + k as fresh is equally likely, so the chance that the fresh ones beat the
accepted ones in at least u of the S k comparisons is a count of arrangements: the exact test of
Mann and Whitney (1947), with no assumption on the noise. tau is taken off the fresh sessions
first. The bound is used for every metric that is judged, not only for the flagged ones: the
screen looked at the same baseline, so conditioning on its flag would not be covered.

What voids it is a host that drifts or steps, and every recorded one does. So a proof takes more:

- only the newest 12 accepted sessions are ranked. The longer ago a session was, the less it says
  of today: of unchanged suites of 40 on the recorded cloud machine 1.5 % are closed against the
  newest 20 sessions, 6 % against 60, 0.7 % against 12;
- the estimated loss must be at least 0.7 T, and half the tolerance that the noise allows where
  that is larger: a host that moved a little is a common thing, and ranks cannot tell it from a
  change;
- against the whole newest accepted session alone it must be above tau: a host that stepped to
  another level before the baseline's end shows there.

Chosen on the cloud machine's recording as it is, backwards, and with better and worse exchanged,
which makes other steps of the same kind. What is left are hosts that step by more than 0.7 T
between the newest accepted session and today, on a metric that was quiet until then: nothing in
that metric tells such a step from a change. Other metrics move with most of these steps, but
refusing where a tenth to a quarter of a suite moved costs more true losses than it saves alarms.

Ten strikes, because ranks need numbers: "all fresh sessions beyond the worst accepted one" finds
39 to 58 % of losses of 5 % on the recorded runner's series, these 80 %.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.stats.costs import LossLimits

S = TypeVar("S")
STRIKES = 10
"""Fresh sessions that a flagged metric takes, where so many can hold its share of alpha."""
_MOST_STRIKES = 14
_RANKED = 12
"""Accepted sessions that strikes are ranked among, the newest ones."""
_LEAST_SHARE = 0.7
"""Of the tolerance that was asked for, what the estimated loss must reach."""
_LEAST_RAISED = 0.5
"""The same of the tolerance that the noise allows."""


def ranked(sessions: int) -> int:
    """How many of so many accepted sessions strikes are ranked among."""
    return min(sessions, _RANKED)


def newest(sessions: Sequence[S]) -> Sequence[S]:
    """The accepted sessions that strikes are ranked among, of those given oldest first."""
    return sessions[-_RANKED:]


def least_loss(asked: float, limits: LossLimits) -> float:
    """The log loss that an estimate must reach, at the tolerance asked for and these limits."""
    least = math.log1p(max(_LEAST_SHARE * asked, _LEAST_RAISED * limits.tolerance))
    return max(least, limits.dead)


def strikes_needed(sessions: int, alpha: float) -> int | None:
    """How many fresh sessions to take; None where even complete separation proves nothing."""
    for strikes in range(STRIKES, _MOST_STRIKES + 1):
        if 1 / math.comb(ranked(sessions) + strikes, strikes) <= alpha:
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
    strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]], least: float
) -> int:
    """Comparisons that the strikes win: beyond an accepted session by more than `least` (logs).

    Medians of different numbers of trials are not exchangeable: every session is cut to its
    first trials, as many as the shortest has.
    """
    fresh, accepted = _medians(strikes, sessions)
    return sum(one - least > other for one in fresh for other in accepted)


def estimated_loss(
    strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]]
) -> float:
    """Log loss: the median of all differences between fresh and accepted sessions."""
    fresh, accepted = _medians(strikes, sessions)
    return median([one - other for one in fresh for other in accepted])


def recent_loss(strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]]) -> float:
    """Log loss against the newest accepted session alone, with all of its trials.

    A host that stepped to a slower level before the baseline's end shows in that session, too; it
    may have stepped in the middle of it.
    """
    fresh, _ = _medians(strikes, sessions)
    return median(fresh) - median(sessions[-1])


def _medians(
    strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]]
) -> tuple[list[float], list[float]]:
    least = min(len(session) for session in (*strikes, *sessions))
    return (
        [median(strike[:least]) for strike in strikes],
        [median(session[:least]) for session in sessions],
    )
