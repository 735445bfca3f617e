"""The rules that can be tried, by name, and how one is played on many drawn suites.

The draws of a rule are split into parts that may run anywhere and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from gate.calibrate import ours
from gate.calibrate.drawing import LEAST_HISTORY, draw_suite, slow_values, some
from gate.calibrate.outcome import AT_TOLERANCE, PLANTS, TOLERANCE, MetricEnding, RuleTally
from gate.calibrate.peers import PEERS
from gate.calibrate.peers.peer import Comparison
from gate.model import Better

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.calibrate.drawing import DrawnSuite, Pool, Trials
    from gate.calibrate.ours import Endings
    from gate.calibrate.peers.peer import Peer
    from gate.model.calibration import RecordedSeries

    Play = Callable[[Pool, DrawnSuite, tuple[float, ...], Random], Endings]


def _play_peer(
    peer: Peer, pool: Pool, suite: DrawnSuite, plants: tuple[float, ...], dice: Random
) -> Endings:
    """Another tool's rule on a suite."""
    unchanged = tuple(_one(peer, pool, suite.place, one, 0.0, dice) for one in suite.series)
    planted = tuple(
        _one(peer, pool, suite.place, suite.series[0], loss, dice)
        for loss in (TOLERANCE if one == AT_TOLERANCE else one for one in plants)
    )  # these tools raise no tolerance
    return unchanged, planted


def _one(
    peer: Peer, pool: Pool, place: int, series: RecordedSeries, loss: float, dice: Random
) -> MetricEnding:
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
        head += _costs(slow_values(tuple(mixed[: peer.trials]), loss, series.better), series.better)
        base += _costs(tuple(mixed[peer.trials :]), series.better)
        last = round_ == peer.rounds
        answer = peer.closes(Comparison(head=head, base=base, history=history, last=last))
        if answer is not None:
            break
    verdict = {True: "closed", False: "passed", None: "inconclusive"}[answer]
    return MetricEnding(verdict=verdict, trials=len(head) + len(base))


def _costs(values: Trials, better: Better) -> Trials:
    """Larger is worse, in natural units."""
    return values if better is Better.LOWER else tuple(1 / value for value in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule."""

    name: str
    sides: bool
    """Whether it measures base and head beside each other."""
    history: int
    """Sessions before the candidate that it wants; a short recording gives `LEAST_HISTORY`."""
    play: Play


_WITH_SIDES = Rule(
    name="driftgate",
    sides=True,
    history=ours.SESSIONS_WITH_SIDES,
    play=partial(ours.play, sides=True),
)
_WITHOUT_SIDES = Rule(
    name="driftgate-strikes",
    sides=False,
    history=ours.SESSIONS_WITHOUT,
    play=partial(ours.play, sides=False),
)
QUESTIONS = (
    *(
        replace(_WITH_SIDES, name=name, play=partial(ours.play, sides=True, builds=builds))
        for name, builds in (("driftgate-one-build", "one"), ("driftgate-fresh-builds", "fresh"))
    ),
    replace(
        _WITHOUT_SIDES,
        name="driftgate-strikes-today",
        play=partial(ours.play, sides=False, today=True),
    ),
)
"""No rules to use but questions, tried only by name: each recorded session is another build, and a
side has one build, or one for each trial; and all strikes are of the candidate's own session."""
_MOST_HISTORY = 31
"""Of another tool's longer history, what there is is taken."""

RULES = (
    _WITH_SIDES,
    _WITHOUT_SIDES,
    *(
        Rule(
            name=one.name,
            sides=one.sides,
            history=max(LEAST_HISTORY, min(one.history, _MOST_HISTORY)),
            play=partial(_play_peer, one),
        )
        for one in PEERS
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPart:
    """Some of the draws of one rule."""

    rule: int
    """Place in the list of rules."""
    size: int
    """Metrics of a suite."""
    draws: int
    planted: bool
    """Whether losses are planted, too."""
    seed: str
    """Of its own, so that parts can be computed in any order."""


def play_part(part: DrawnPart, rule: Rule, pool: Pool) -> RuleTally:
    """The tally of one part."""
    dice = Random(part.seed)
    tally = RuleTally()
    history = pool.history(rule.history)
    plants = (*PLANTS, AT_TOLERANCE) if part.planted else ()
    for _ in range(part.draws):
        suite = draw_suite(pool, part.size, dice, history)
        unchanged, slower = rule.play(pool, suite, plants, dice)
        tally.add_unchanged(unchanged)
        quiet = suite.series[0].name in pool.quiet
        for loss, ending in zip(plants, slower, strict=True):
            tally.add_planted(loss, ending, quiet=quiet)
    return tally
