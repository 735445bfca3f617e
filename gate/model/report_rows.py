"""What a report shows beside its findings: history, costs, curves, and what else differed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gate.model.activation import Side
from gate.model.bounds import Cost, LongText, Natural, Percent, Positive, Strict
from gate.model.metric import Better
from gate.model.session import Stage
from gate.model.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Level(Strict):
    """What an accepted session of an earlier epoch measured of one series."""

    session: LongText
    epoch: Positive
    value: float
    """Median of its trials, in the metric's base unit."""


class LevelState(StrEnum):
    """Whether what runs here still stands where it was accepted, apart from the change."""

    KEPT = "kept"
    SLID = "slid"
    """The accepted sessions and the change together are beyond the tolerance of the anchor."""
    MOVED = "moved"
    """The host, or the base side, left the accepted level."""
    UNKNOWN = "not known here"


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelStanding(Strict):
    """Where a metric stands against the accepted level, where both sides decide of the change."""

    state: LevelState
    text: LongText
    """The figure or the reason, as part of a sentence."""

    def __str__(self) -> str:
        """`level moved: the base side itself is +6.0 % against what was accepted`."""
        return (
            f"level {self.state.value}: {self.text}" if self.text else f"level {self.state.value}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted(Strict):
    """An accepted session that some finding's history names: when, by whom, why."""

    profile: LongText
    session: LongText
    started: LongText
    """UTC, ISO 8601."""
    commit: LongText
    """Full hash; empty where it is not known."""
    accepted: LongText
    """UTC, ISO 8601."""
    by: LongText
    reason: LongText
    moved: tuple[LongText, ...] = ()
    """Facts of the host that differ from the accepted session before it: `kernel 6.1 -> 6.2`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Strict):
    """What one payer of a CPU cost paid, in CPU-seconds of an operation."""

    name: LongText
    """`kernel threads (loop)`, `soft interrupts`."""
    base: Cost | None
    """Median over trials; absent where no base trial keeps its bill."""
    head: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill(Strict):
    """What one benchmark cost the processors of the whole machine, by who paid, on both sides.

    Owners and contexts are two views of the same cost that do not add up with each other.
    """

    profile: LongText
    benchmark: LongText
    word: LongText
    """What one operation is: `I/O`, `operation`, `run`."""
    trials_base: Natural
    trials_head: Natural
    base: float | None
    """Median CPU-seconds of an operation, net of the idle machine; absent as in `Share`."""
    head: float
    owners: tuple[Share, ...]
    """Whose tasks ran."""
    contexts: tuple[Share, ...]
    """By the kernel's tick accounting: user space, kernel, softirq, irq."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile(Strict):
    """One point of a latency curve."""

    percentile: Percent
    """In per cent, above 0 and below 100."""
    base: Cost | None
    """Median over trials of what a trial has there, in seconds; absent without base trials."""
    head: Cost | None
    beyond: Cost
    """Samples beyond it in the trial that has the fewest; below 10 it shows single hiccups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(Strict):
    """Completion latency of one kind of I/O of one benchmark, as a curve over percentiles."""

    profile: LongText
    benchmark: LongText
    kind: LongText
    """`read`, `write`, `trim` or `mixed`."""
    trials_base: Natural
    trials_head: Natural
    points: tuple[Quantile, ...]
    """Percentiles ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint(Strict):
    """One point of a swept profile."""

    place: LongText
    """The parameter's value as the profile writes it."""
    benchmark: LongText
    base: float | None
    head: float | None
    verdict: Verdict
    """Of the finding on this point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep(Strict):
    """A metric over the parameter that a profile sweeps, base and head."""

    profile: LongText
    group: LongText
    """Name of the group: `iometer-database[iodepth=*]`."""
    parameter: LongText
    metric: LongText
    unit: LongText
    better: Better
    points: tuple[SweepPoint, ...]
    """In the profile's order."""
    made: tuple[LongText, ...] = ()
    """The group's metrics that are made of this one: `iops_scaling`."""
    told: LongText = ""
    """How the curve changed its shape: `no longer grows beyond iodepth 32`; empty if it did not."""


AREAS = (
    *("host", "kernel", "kernel config", "command line", "tools", "environment", "profile"),
    *("tuning", "subject", "disturbed"),
)
"""What two sides may differ in beside their numbers, in the order in which that is shown."""
BASE_SIDE = "base side"
ACCEPTED = "accepted session"
"""What the base of a difference stands for, with the session's name; in the plural without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Strict):
    """Something beside the numbers that was not alike on both sides."""

    area: LongText
    """One of `AREAS`."""
    key: LongText
    base: LongText
    """Empty where the base side has none of it."""
    head: LongText
    against: LongText
    """What the base stands for: `base side`, or `accepted session ID`; `accepted sessions` where
    those of several profiles differ alike."""
    profiles: tuple[LongText, ...]
    """Profiles whose sessions differ so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike(Strict):
    """How many facts of an area were compared and found alike in every profile that has them."""

    area: LongText
    count: Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange(Strict):
    """A text that the change edits, as a unified diff."""

    name: LongText
    """Path in the repository: `profiles/iometer-database.toml`."""
    lines: tuple[LongText, ...]
    """Each begins with `+`, `-`, a blank or `@`."""
    more: Natural = 0
    """Lines that were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside(Strict):
    """A trial that ran and is not counted, and why."""

    profile: LongText
    benchmark: LongText
    side: Side
    stage: Stage
    sequence: Natural
    """Position in its session, from 0."""
    kind: LongText
    why: LongText


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin(Strict):
    """Where the change comes from and how it was checked, so that it can be done again."""

    base_commit: LongText = ""
    """Full hash of what the base side, or the newest accepted session, was built of."""
    head_commit: LongText = ""
    files: LongText = ""
    """Address below which the repository's files stand as they are at the head commit; empty where
    nobody told."""
    profiles: LongText = "profiles"
    """Folder of the profiles in the repository."""
    options: tuple[LongText, ...] = ()
    """Words of the command line that said what the sides are: `--base`, `../base`, ..."""
    out: LongText = ""
    """Directory in which the check left its sessions, as it was named; empty where a reader has
    none, as after a job of CI."""
    checkout: bool = False
    """Whether the base side was a checkout of `base_commit` that is gone with its job: whoever
    measures again makes one."""
    dirty: bool = False
    """Whether the head side had changes that no commit holds."""
    restarts: bool = False
    """Whether each trial was a restart of the machine, as `--restart` let the check do."""
