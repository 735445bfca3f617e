"""Stage 2 without sides: strikes of fresh head sessions against the largest baseline session.

If the S baseline sessions and the k fresh sessions are exchangeable, the chance that all k
exceed the largest of the S is 1 / C(S + k, k), with no assumption on the noise. The bound is
used for every metric that is judged, not only for the flagged ones: the screen looked at the
same baseline, so conditioning on its flag would not be covered. A host that drifts between the
baseline and today breaks exchangeability, and the report says so.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_STRIKES = 12


def false_alarm(sessions: int, strikes: int) -> float:
    """Chance that all strikes exceed the largest of the baseline sessions by luck."""
    return 1.0 / math.comb(sessions + strikes, strikes)


def strikes_needed(sessions: int, alpha: float) -> int | None:
    """Fewest strikes that hold `alpha`; None where even `MOST_STRIKES` do not."""
    return next((k for k in range(1, MOST_STRIKES + 1) if false_alarm(sessions, k) <= alpha), None)


def all_exceed(
    strikes: Sequence[Sequence[float]], sessions: Sequence[Sequence[float]], negligible: float
) -> bool:
    """Whether each strike's median exceeds the worst baseline session's by more than tau (logs).

    Medians of different numbers of trials are not exchangeable: every session is cut to its
    first trials, as many as the shortest has.
    """
    least = min((len(session) for session in (*strikes, *sessions)), default=0)
    limit = max(median(session[:least]) for session in sessions) + negligible
    return bool(strikes) and all(median(strike[:least]) > limit for strike in strikes)
