"""Another tool's rule, played on a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.calibrate.drawing import slowed, some
from gate.calibrate.outcome import AT_TOLERANCE, TOLERANCE, Ending
from gate.model import Better
from gate.stats.peers.peer import Comparison

if TYPE_CHECKING:
    from random import Random

    from gate.calibrate.drawing import Pool, Suite, Trials
    from gate.model.recording import RecordedSeries
    from gate.stats.peers.peer import Peer


def play(
    peer: Peer, pool: Pool, suite: Suite, plants: tuple[float, ...], dice: Random
) -> tuple[tuple[Ending, ...], tuple[Ending, ...]]:
    """Endings of the unchanged suite, and of its first metric with each loss planted."""
    unchanged = tuple(_one(peer, pool, suite.place, one, 0.0, dice) for one in suite.series)
    planted = tuple(
        _one(peer, pool, suite.place, suite.series[0], _size(loss), dice) for loss in plants
    )
    return unchanged, planted


def _size(loss: float) -> float:
    """These tools raise no tolerance."""
    return TOLERANCE if loss == AT_TOLERANCE else loss


def _one(
    peer: Peer, pool: Pool, place: int, series: RecordedSeries, loss: float, dice: Random
) -> Ending:
    today = pool.session(series, place)
    history = tuple(
        _costs(some(trials, peer.trials, dice), series.better)
        for trials in pool.before(series, place, peer.history)
    )
    head: Trials = ()
    base: Trials = ()
    answer = None
    for round_ in range(1, peer.rounds + 1):
        # With sides both are measured in the one sitting; where that has too few trials for
        # both, some stand in twice.
        drawn = some(today, peer.trials * (1 + peer.sides), dice)
        mixed = list(drawn)
        dice.shuffle(mixed)
        head += _costs(slowed(tuple(mixed[: peer.trials]), loss, series.better), series.better)
        base += _costs(tuple(mixed[peer.trials :]), series.better)
        last = round_ == peer.rounds
        answer = peer.closes(Comparison(head=head, base=base, history=history, last=last))
        if answer is not None:
            break
    verdict = {True: "closed", False: "passed", None: "inconclusive"}[answer]
    return Ending(verdict=verdict, trials=len(head) + len(base))


def _costs(values: Trials, better: Better) -> Trials:
    """Larger is worse, in natural units."""
    return values if better is Better.LOWER else tuple(1 / value for value in values)
