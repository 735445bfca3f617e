"""Drawing suites, sessions and trials from a recording.

A suite is a number of series at one session, the candidate; the sessions before it are history,
those after it are fresh ones. Nothing is drawn from the candidate's own future or from another
series, so drift, level steps and what series share in one sitting stay as they were recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gate.model import Better
from gate.stats.costs import log_costs
from gate.stats.noise import pair_sigma

if TYPE_CHECKING:
    from random import Random

    from gate.model.calibration import RecordedSeries, Recording

QUIET = 0.03
"""A series is quiet when its pair standard deviation is at most this."""
_ENOUGH = 20
"""Candidates; with fewer, the same few would be drawn again and again."""
LEAST_HISTORY = LONGEST_FUTURE = 10
"""Sessions that every candidate has before it, and after it for the rule that takes fresh ones."""


@dataclass(frozen=True)
class Pool:
    """A recording, ready to be drawn from."""

    recording: Recording

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the sessions that every series holds, in order of time."""
        common = set.intersection(*(set(one.sessions) for one in self.recording.series))
        return tuple(sorted(common))

    def candidates(self, history: int) -> range:
        """Places of the sessions with so many before them and enough after; may be empty."""
        return range(history, len(self.numbers) - LONGEST_FUTURE)

    def history(self, wanted: int) -> int:
        """How much history candidates are to have: what is wanted, where enough of them do."""
        return wanted if len(self.candidates(wanted)) >= _ENOUGH else LEAST_HISTORY

    @cached_property
    def quiet(self) -> frozenset[str]:
        """Names of the series whose pairs scatter little, over the whole recording."""
        return frozenset(
            one.name
            for one in self.recording.series
            if pair_sigma([log_costs(v, Better.LOWER) for v in one.sessions.values()]) <= QUIET
        )

    def before(self, series: RecordedSeries, place: int, count: int) -> tuple[Trials, ...]:
        """Up to `count` sessions before the candidate, oldest first."""
        numbers = self.numbers[max(place - count, 0) : place]
        return tuple(series.sessions[number] for number in numbers)

    def session(self, series: RecordedSeries, place: int) -> Trials:
        """The trials of the session at that place."""
        return series.sessions[self.numbers[place]]


Trials = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnSuite:
    """Series of one candidate session; a loss is planted in the first of them."""

    place: int
    series: tuple[RecordedSeries, ...]


def draw_suite(pool: Pool, size: int, dice: Random, history: int = LEAST_HISTORY) -> DrawnSuite:
    """A candidate session with so much history, and so many series, each at most once."""
    return DrawnSuite(
        place=dice.choice(pool.candidates(history)),
        series=tuple(dice.sample(pool.recording.series, size)),
    )


def some(trials: Trials, count: int, dice: Random) -> Trials:
    """So many whole trials in run order; where there are fewer, some stand in again."""
    again = max(count - len(trials), 0)
    places = dice.sample(range(len(trials)), count - again) + [
        dice.randrange(len(trials)) for _ in range(again)
    ]
    return tuple(trials[place] for place in sorted(places))


def block(trials: Trials, pairs: int, dice: Random) -> tuple[Trials, Trials]:
    """Consecutive trials as recorded, dealt to base and head in random order.

    The run starts anywhere and goes on at the beginning, so that drift inside a sitting is in it.
    """
    start = dice.randrange(len(trials))
    run = [trials[(start + step) % len(trials)] for step in range(2 * pairs)]
    dice.shuffle(run)
    return tuple(run[:pairs]), tuple(run[pairs:])


def slow_values(values: Trials, loss: float, better: Better) -> Trials:
    """The values with a relative loss planted."""
    factor = 1 + loss if better is Better.LOWER else 1 / (1 + loss)
    return tuple(value * factor for value in values)
