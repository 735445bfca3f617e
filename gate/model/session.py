"""Sessions: the trials of one sitting on one host, one boot, one side."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from annotated_types import Interval, Len, MaxLen, MinLen

from gate.model.activation import Side
from gate.model.bounds import (
    Amount,
    Count,
    LongText,
    Name,
    Natural,
    Number,
    Percent,
    Positive,
    Spent,
    Strict,
    Text,
)
from gate.model.cpu import CpuBill, IdleReference
from gate.model.diagnosis import MOST_WHYS, Why
from gate.model.disturbance import Disturbance
from gate.model.host import Host
from gate.model.metric import Leeway, Metric
from gate.model.patch_coverage import FileReads, Touch

MOST_SHARDS = 256
"""As many jobs as GitHub runs of one matrix."""
SCHEMA = 1
"""Number of the file formats written by this version."""


class Stage(StrEnum):
    """What a trial was taken for."""

    SCREEN = "screen"
    CONFIRM = "confirm"


class State(StrEnum):
    """Whether a session holds every trial that was planned."""

    COMPLETE = "complete"
    PARTIAL = "partial"


class Source(StrEnum):
    """Where the values of a session come from."""

    MEASURED = "measured"
    IMPORTED = "imported"
    REPLAYED = "replayed"


class TrialStatus(StrEnum):
    """How a trial ended."""

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    ASIDE = "aside"
    """It ran, and is not counted: disturbed, or its storage was not steady yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value(Strict):
    """One metric of one trial."""

    metric: Name
    value: Number
    """In the metric's base unit."""
    samples: Count = 1
    """How many samples inside the process it summarises; never counted as independent."""
    resolution: Amount = 0.0
    """Smallest difference that shows, in the metric's base unit; 0 where none is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentiles(Strict):
    """Completion latencies of one kind of I/O inside one trial."""

    kind: Name
    """`read`, `write`, `trim` or `mixed`."""
    samples: Positive
    """I/Os whose latency was taken."""
    points: Annotated[tuple[tuple[Percent, Amount], ...], Len(1, 64)]
    """Percentile in per cent and latency in seconds, ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel(Strict):
    """The kernel that a session ran on, as far as it is known."""

    release: Text
    version: Name
    """Build number, kind and date, as `uname -v` prints."""
    build_id: Text
    """Hexadecimal, from the kernel's own notes; empty where they cannot be read."""
    command_line: Text
    """As the epoch fact: without what names one machine."""
    config: dict[Name, Text] = field(default_factory=dict)
    """Options that are set, without `CONFIG_`; empty where the kernel does not report them."""


MOST_FUNCTIONS = 100
"""Kernel functions that a trial keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(Strict):
    """One fresh process of one benchmark: the unit of replication."""

    benchmark: Name
    sequence: Natural
    """Position in the order in which trials of this session were run, from 0."""
    stage: Stage
    status: TrialStatus
    started: Name
    """UTC, ISO 8601."""
    duration: Amount
    """Wall-clock seconds of the whole trial, start of process to end of parsing."""
    values: tuple[Value, ...] = ()
    pair: Natural | None = None
    """Number of the base/head pair it belongs to; absent outside the confirm stage."""
    slot: Natural | None = None
    """Position in the random order of its block of pairs, from 0."""
    note: Text = ""
    """Why it failed, or what the harness warned of."""
    cpu: CpuBill | None = None
    """What it cost the whole machine; absent where that was not asked for."""
    aside: tuple[Disturbance, ...] = ()
    """Why it was set aside; its values are kept and never counted."""
    marks: tuple[Disturbance, ...] = ()
    """What disturbed it and is borne, for it hits both sides of a comparison alike."""
    latencies: Annotated[tuple[Percentiles, ...], MaxLen(4)] = ()
    """Where the harness reports percentiles."""
    functions: Annotated[dict[Name, Spent], MaxLen(MOST_FUNCTIONS)] = field(default_factory=dict)
    """Instructions of one operation by kernel function, the largest; where they are counted."""
    touch: Touch | None = None
    """What it executed of what differs between the sides; absent where that is not looked for."""
    reads: FileReads | None = None
    """What it opens of its repository; absent where that is not looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Strict):
    """How many trials of a benchmark the screen of this session was to hold."""

    benchmark: Name
    trials: Annotated[int, Interval(ge=0, le=100_000)]
    control: bool = False
    group: Name = ""
    """The parameter that is swept, where this is a group: its trials are made of its points'."""
    members: tuple[Name, ...] = ()
    """A group's points, first to last."""
    without: tuple[Name, ...] = ()
    """Metrics that it cannot have, such as the rate of a background load that does not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject(Strict):
    """What was under test, as far as it can be proven."""

    description: LongText = ""
    """What a reader calls it: a directory, an environment."""
    commit: Name = ""
    """Full commit hash of the directory measured, where it is a git checkout."""
    dirty: bool = False
    """Whether that checkout had uncommitted changes."""
    proof: Name = ""
    """Content hash of what was activated, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBudget(Strict):
    """How long the whole check may take, and what it had to leave open for that."""

    seconds: Amount
    spent: Amount
    """Seconds of it, when this was last written."""
    left_open: tuple[Name, ...] = ()
    """Benchmarks of which no more was measured, though it might have decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Strict):
    """The trials of one sitting on one host, one boot, one side."""

    schema: Count
    id: Name
    """Unique name: start time and a random tail; imported sessions use a content hash."""
    profile: Name
    profile_digest: Name
    harness: Name
    side: Side
    stage: Stage
    """`screen` for a whole sitting, `confirm` for the trials of the second stage."""
    subject: Subject
    host: Host
    boot: Name
    """Kernel boot id; empty when unknown."""
    started: Name
    ended: Name
    """UTC, ISO 8601; the time of the last write."""
    seed: Count
    """Seed of the order of trials, that of each block of pairs included."""
    state: State
    source: Source
    sides: bool
    """Whether the base side can be activated on this host, so that pairs are possible."""
    planned: tuple[Planned, ...]
    metrics: tuple[Metric, ...]
    trials: tuple[Trial, ...]
    tools: dict[Name, Text]
    """Versions of the harness and of what it stands on."""
    disturbances: tuple[Text, ...] = ()
    """Reasons why this sitting must not be judged."""
    notes: tuple[Text, ...] = ()
    loud: Leeway = field(default_factory=Leeway)
    """The profile's policy for metrics too noisy for their tolerance."""
    pairs: Annotated[int, Interval(ge=1, le=1000)] = 100
    """The profile's limit of pairs."""
    planted: Number = 0.0
    """Calibration only: the loss planted into it; such a session is never accepted."""
    idle: IdleReference | None = None
    """What the machine used at rest; absent where no CPU cost was asked for."""
    unavailable: dict[Name, Text] = field(default_factory=dict)
    """Metrics that this host cannot give -> why; only watched ones may be among them."""
    controls: dict[Name, Annotated[tuple[Spent, ...], MinLen(1)]] = field(default_factory=dict)
    """The built-in controls: name -> seconds of each run, in order, over the whole sitting."""
    written: Number = 0.0
    """Bytes that the profile wrote to its storage, preconditioning included, as the disk counts."""
    tuned: tuple[Name, ...] = ()
    """Settings of the host that were tuned while it measured."""
    kernel: Kernel | None = None
    """Absent in sessions that were imported or replayed."""
    environment: dict[Name, Text] = field(default_factory=dict)
    """Variables that the workload got of the gate's own environment: name -> hash of the value, or
    `unset`; empty where nothing was measured."""
    left_out: Natural = 0
    """Benchmarks of the profile that `--benchmark` left out; such a session is never accepted."""
    budget: TimeBudget | None = None
    """Absent where a check may take as long as it needs."""
    beside: Name = ""
    """The session of the base trials that were taken among these; empty where there were none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover(Strict):
    """The sessions of one check in one file: what crosses from measuring to judging."""

    schema: int
    version: Name
    """The gate's version that measured."""
    shard: Annotated[int, Interval(ge=1, le=MOST_SHARDS)] = 1
    """Which part of a check that is spread over several machines, from 1."""
    shards: Annotated[int, Interval(ge=1, le=MOST_SHARDS)] = 1
    """How many parts there are."""
    sessions: Annotated[tuple[Session, ...], MaxLen(10_000)]
    error: Text = ""
    """Why measuring ended before it was complete, `G262: ...`; such a check is never open."""
    why: Annotated[tuple[Why, ...], MaxLen(MOST_WHYS)] = ()
    """What moved with its regressions; shown beside findings that regressed, and never judged."""
