"""Baselines: the accepted sessions of one host class and profile, and waivers."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from gate.model.disturbance import Limits
from gate.model.host import EpochPolicy
from gate.model.metric import Better


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedSession:
    """The facts of one accepted session: what it measured, who accepted it and why."""

    id: str
    profile_digest: str
    started: str
    boot: str
    commit: str
    subject: str
    tools: dict[str, str]
    epoch_facts: dict[str, str]
    """The host's epoch facts at that sitting."""
    fingerprint: str
    accepted: str
    """UTC time of acceptance."""
    by: str
    reason: str
    controls: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """The built-in controls of that sitting: name -> seconds of each run."""
    duration: float = 0.0
    """Seconds that the sitting took; 0 where that was not written down."""
    kernel_build: str = ""
    """Build id of the kernel that it ran on; empty where that was not written down."""
    kernel_config: str = ""
    """Digest of that kernel's configuration; empty where the kernel did not report it."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that its workload got of the gate's own environment, as in the session."""
    dirty: bool = False
    """Whether the tree had changes that are not in the commit: then no commit earned the level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselinePoint:
    """One accepted session's values of one series."""

    session: str
    epoch: int
    values: tuple[float, ...]
    """In trial order, base units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSeries:
    """One metric of one benchmark over the accepted sessions, oldest first."""

    benchmark: str
    metric: str
    unit: str
    better: Better
    made: str = ""
    """How a group's metric was made of its points; empty for one that was measured."""
    points: tuple[BaselinePoint, ...]

    @property
    def current(self) -> tuple[BaselinePoint, ...]:
        """The points of the newest epoch; the first of them make its anchor."""
        newest = max((point.epoch for point in self.points), default=0)
        return tuple(point for point in self.points if point.epoch == newest)

    @property
    def level(self) -> float | None:
        """The median of the medians of the newest epoch's sessions; absent without any."""
        current = self.current
        return median([median(point.values) for point in current]) if current else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Which accepted sessions, by id, are of code that a base and the change upon it contain.

    A session that says of no commit stands in none of these.
    """

    base: frozenset[str] = frozenset()
    """Of code that the base contains."""
    change: frozenset[str] = frozenset()
    """Of code that the change contains and the base does not, or accepted by the change itself."""
    outside: frozenset[str] = frozenset()
    """Of code that neither contains."""
    unknown: frozenset[str] = frozenset()
    """Of code of which git cannot tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnearnedLevel:
    """A level that was accepted for code which is not here."""

    benchmark: str
    metric: str
    session: str
    """The first accepted session of its epoch."""
    why: str
    """One sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What was accepted for one host class and profile."""

    profile: str
    profile_digest: str
    harness: str
    host_class: str
    stable: dict[str, str]
    """The host class's stable facts; a session of the class must agree with each."""
    policy: EpochPolicy = EpochPolicy.REFUSE
    """What a changed epoch fact means, as the class's host.toml says."""
    set_aside: float = Limits().set_aside
    """Trials set aside per trial planned, above which nothing is judged, as host.toml says."""
    sessions: tuple[AcceptedSession, ...]
    series: tuple[BaselineSeries, ...]
    kernel_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    """Options by digest: of the newest accepted session's kernel and of those just accepted, as
    far as their texts are kept."""
    path: str = ""
    """The file it came from, for messages."""
    lineage: Lineage | None = None
    """What git says of its sessions' commits; None where git was not asked, or knows none."""
    unearned: tuple[UnearnedLevel, ...] = ()
    """Levels left out of the series, as they are of code that is not in the base."""
    accepted_here: frozenset[str] = frozenset()
    """Sessions that the change under test had accepted for itself, by which it is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A regression somebody accepted for a while: exact row, ceiling, end, issue and reason."""

    profile: str
    benchmark: str
    metric: str
    ceiling: float
    """Largest relative loss it covers."""
    since: str = ""
    """First day it holds, ISO date: only what was measured from then on can show it unneeded."""
    expires: str
    """Last day it holds, ISO date."""
    issue: str
    reason: str

    @property
    def row(self) -> tuple[str, str, str]:
        """The profile, benchmark and metric it covers."""
        return self.profile, self.benchmark, self.metric
