"""Whether a host class keeps the promise, from rounds whose right answer was known.

It is unfit where the data contradict the promise, not where they merely do not show it:

* false alarms: the lower exact limit (95 %) of the rate, per suite, is above alpha;
* losses that passed: of the planted losses of at least the tolerance that the gate answered, the
  upper limit of the share found is below 1 - beta. An inconclusive round closes the gate, so it
  breaks no promise and is left to the third reason. A plant that became smaller than 0.8 of the
  tolerance tests nothing: the median of what was achieved decides, not each round's own, which is
  as noisy as its verdict;
* answers: more than half of the rounds of a profile, five at least, end without one.

Power. With alpha = 1 % a second false alarm contradicts the promise up to 24 unchanged rounds, a
third up to 62, a sixth up to 221; a host with a true rate of 5 % is named with probability 0.26
after 20, 0.58 after 60 and 0.94 after 200 rounds, one that keeps the promise with at most 0.025 at
any one look. With beta = 2.5 %, 3 of 20, 5 of 60 or 11 of 200 planted losses that pass contradict
it; a host that misses a tenth is named with probability 0.32, 0.73 and 0.99. So a small calibration
finds gross failures only, and a host that is not named unfit is not thereby proven fit.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.calibration_rounds import counts, rounds_that_count
from gate.model import Ending
from gate.model.calibration import MOST_COUNTED
from gate.stats.special import exact_limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.calibration_rounds import RoundFilter
    from gate.model import Calibration, Round

_NEARLY = 0.8
"""Of the tolerance, what a planted loss must have reached to test the promise."""
LEAST_ROUNDS = 5
"""Of fewer rounds, those without an answer say nothing."""


def class_record(rounds: Sequence[Round], wanted: RoundFilter) -> Calibration | None:
    """What is known of a host class; None where it was never calibrated."""
    if all(one.host_class != wanted.host_class for one in rounds):
        return None
    known = counts(rounds, wanted)
    low, high = _limits(known.false_alarms, known.unchanged)
    planted = []
    for share in known.planted:
        least, most = _limits(share.found, share.rounds)
        planted.append(replace(share, low=least, high=most))
    known = replace(known, alarms_low=low, alarms_high=high, planted=tuple(planted))
    return replace(known, unfit=tuple(_reasons(rounds_that_count(rounds, wanted), known, wanted)))


def _limits(count: int, total: int) -> tuple[float | None, float | None]:
    return exact_limits(count, total) if total else (None, None)


def _reasons(rounds: Sequence[Round], known: Calibration, wanted: RoundFilter) -> Iterator[str]:
    low = known.alarms_low
    if low is not None and low > wanted.alpha:
        yield (
            f"{known.false_alarms} of {known.unchanged} unchanged comparisons were called "
            f"regressed, a rate of at least {_shown(low)}, where {_shown(wanted.alpha)} is promised"
        )
    yield from _missed(rounds, wanted)
    for profile in sorted({one.profile for one in rounds}):
        own = [one for one in rounds if one.profile == profile][-MOST_COUNTED:]
        silent = sum(one.ending in {Ending.INCONCLUSIVE, Ending.VOID} for one in own)
        if len(own) >= LEAST_ROUNDS and 2 * silent > len(own):
            yield f"{silent} of {len(own)} rounds of {profile} ended without an answer"


def _missed(rounds: Sequence[Round], wanted: RoundFilter) -> Iterator[str]:
    """Planted losses of at least the tolerance, as far as the gate answered."""
    answered = [
        one
        for one in rounds
        if one.ending in {Ending.FOUND, Ending.MISSED}
        and one.tolerance is not None
        and one.planted >= one.tolerance
    ][-MOST_COUNTED:]
    grown = [
        one.achieved / one.tolerance
        for one in answered
        if one.achieved is not None and one.tolerance
    ]
    if not grown or median(grown) < _NEARLY:
        return
    found = sum(one.ending is Ending.FOUND for one in answered)
    _, high = exact_limits(found, len(answered))
    if high < 1 - wanted.beta:
        yield (
            f"{found} of {len(answered)} planted losses of the tolerance or more were found and "
            f"the others passed, a share of at most {_shown(high)}, where "
            f"{_shown(1 - wanted.beta)} is promised"
        )


def _shown(share: float) -> str:
    return f"{share * 100:.3g} %"
