"""Calibration: how often the gate was right on a host, where the truth was known beforehand."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from gate.model.bounds import Natural, Strict
from gate.model.metric import Better

MOST_COUNTED = 200
"""The newest comparisons of a kind that a report counts."""
_DIGITS = 12


class Ending(StrEnum):
    """How a round ended; the first two for unchanged rounds, the next two for planted ones."""

    CLEAR = "clear"
    """Nothing was changed, and nothing was called regressed."""
    ALARM = "alarm"
    """Nothing was changed, and something was called regressed."""
    FOUND = "found"
    """The planted loss was called regressed."""
    MISSED = "missed"
    """The planted loss passed."""
    INCONCLUSIVE = "inconclusive"
    """Neither a loss nor its absence was proven."""
    VOID = "void"
    """Nothing could be compared: disturbed, incomparable, broken. No answer, right or wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant(Strict):
    """What a calibration does to the head side of one benchmark."""

    loss: float = 0.0
    """Asked relative loss; 0 leaves the head side as it is."""
    benchmark: str = ""
    """The benchmark that loses it; empty where nothing is planted."""
    settings: dict[str, str] = field(default_factory=dict)
    """How much work that takes, as the harness measured it; its own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(Strict):
    """Which rounds of a profile lose how much: a fair draw that anybody can repeat."""

    schema: int
    seed: int
    plants: tuple[float, ...]
    """Losses to plant; each as often as the others."""
    origin: int = 1
    """Number of the first round of this draw."""
    begun: int = 1
    """Number of the first round that the newest command asked for."""
    rounds: int | None = None
    """How many it asked for; absent where time was the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan(Strict):
    """One round before it is measured; on disk, so that an interrupted round goes on."""

    schema: int
    id: str
    seed: int
    number: int
    plant: Plant
    sized: bool
    """Whether the work for the plant is measured already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round(Strict):
    """One finished round: a whole check whose right answer was known."""

    id: str
    host_class: str
    profile: str
    date: str
    """UTC, ISO 8601."""
    digest: str
    """First digits of the profile's digest: another text is another benchmark."""
    gate: str
    """Version of the gate."""
    rule: str
    """Version of the rule that decided."""
    alpha: float
    beta: float
    """The promise that was tried."""
    seed: int
    number: int
    """Seed of the schedule, and the number in it."""
    planted: float
    """Asked loss; 0 for an unchanged round."""
    benchmark: str = ""
    """The benchmark that was slowed."""
    achieved: float | None = None
    """Loss that the data of both sides show."""
    tolerance: float | None = None
    """Tolerance that the slowed metric was judged by."""
    ending: Ending
    metrics: int
    """Gate metrics compared."""
    regressed: int
    """Gate metrics called regressed, rightly or not."""
    inconclusive: int
    trials: int
    seconds: float
    """What the trials took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedShare(Strict):
    """What became of the rounds with one planted loss."""

    loss: float
    rounds: int
    found: Natural
    missed: Natural
    below: int = 0
    """Rounds in which it was below the tolerance judged by, where it may pass."""
    achieved: float | None = None
    """Median loss that the data show."""
    low: float | None = None
    """Exact 95 % limits of the share found."""
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(Strict):
    """What is known of the gate's errors on a host class, for the profiles of one report."""

    host_class: str
    unchanged: int = 0
    """Newest comparisons of a thing with itself, at most 200."""
    false_alarms: int = 0
    """Of these, the ones in which something was called regressed."""
    alarms_low: float | None = None
    """Exact 95 % limits of the rate of false alarms, per suite."""
    alarms_high: float | None = None
    undecided: int = 0
    """Of the unchanged ones, those that ended inconclusive."""
    planted: tuple[PlantedShare, ...] = ()
    void: int = 0
    """Rounds in which nothing could be compared."""
    outdated: int = 0
    """Rounds of another profile text, rule or promise, which are not counted."""
    newest: str = ""
    """Day of the newest round counted."""
    lacking: tuple[str, ...] = ()
    """Profiles of the report without any round that counts."""
    unfit: tuple[str, ...] = ()
    """What contradicts the promise; empty where nothing does."""


def short_digest(digest: str) -> str:
    """As many digits of a profile's digest as a round keeps."""
    return digest.rpartition(":")[2][:_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSeries:
    """One series, sitting by sitting."""

    name: str
    better: Better
    sessions: dict[int, tuple[float, ...]]
    """Values of each session in run order, by session number; numbers are in order of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The series of one machine."""

    name: str
    """The file's name, for tables."""
    series: tuple[RecordedSeries, ...]
    """Sorted by name."""
