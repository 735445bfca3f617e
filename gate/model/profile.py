"""Profiles: which harness runs what, over which matrix, on what storage, for which metrics."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.model.activation import Activation, Guest
from gate.model.calibration import Plant
from gate.model.metric import Better, Leeway, Metric

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """When a series of trials counts as steady (SNIA's criterion, on the trials' own values).

    `range` and `slope` are ratios of the window's mean.
    """

    metric: str
    window: int = 5
    range: float = 0.2
    slope: float = 0.1
    limit: int = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """`[storage]` of a profile."""

    device: str = ""
    """Name of a device in this machine's own allow-list; empty for files in the work directory."""
    filesystem: str = ""
    precondition: tuple[str, ...] = ()
    prepare: tuple[str, ...] = ()
    steady: Steady | None = None
    write_budget: float | None = None
    """Most bytes that one check or run of the profile may write; None where none was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedDevice:
    """One device that its owner gave to the gate, in a file outside every repository."""

    name: str
    """What profiles call it."""
    by_id: str
    """`/dev/disk/by-id/...`: a name that is bound to the drive, not to the order of finding."""
    endurance: float | None = None
    """Bytes that the drive is rated to take, where its owner says so."""
    erase: bool = False
    """Whether its owner says that what it holds may go, without a label of the gate's on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One point of a profile's matrix."""

    name: str
    """`iometer-database[iodepth=32]`."""
    params: dict[str, str] = field(default_factory=dict)
    """The matrix values of this point."""
    control: bool = False
    """A workload that the change cannot reach: if it moves, the host moved."""
    group: str = ""
    """The parameter that is swept, where this is a group of points and no workload of its own."""
    members: tuple[str, ...] = ()
    """A group's points, first to last in the order of the matrix."""
    target: str = ""
    """pytest-benchmark: the test's id, which the name may extend by parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """How often a benchmark is measured."""

    screen: int = 3
    """Trials of the head side in the first stage; a check takes more of a metric whose trials are
    noisy where that saves confirmations."""
    confirm_pairs: int = 100
    """Most base/head pairs that the second stage may spend on one benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideSpec:
    """How one side of the subject is activated: a directory, an environment, or both."""

    directory: str | None = None
    """Relative to the project root."""
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A figure that a command prints, found by a pattern that must match exactly once."""

    name: str
    pattern: str
    """Regular expression with exactly one group, which holds the number; lines are anchored."""
    unit: str
    """As printed."""
    better: Better


WORK_DONE = "work_done"
"""The value of a trial that tells how much it did, by the figure of `[expect]`; no metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """How a command tells that it did its work."""

    status: int = 0
    """What it ends with."""
    stdout: str = ""
    """Regular expression that what it prints matches; lines are anchored. Empty for anything."""
    figure: str = ""
    """Regular expression with one group: a number that must not shrink. Empty for none."""
    least: float = 0.0
    """What that number must be at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A program that the workload runs."""

    program: str
    install: str
    version: str = ""
    """Command that prints its version; without one its content stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """A load that runs during every trial whose `load` is not `alone`."""

    command: str | None = None
    """A shell command, run again and again; `{side}` and parameters are expanded."""
    job_file: str | None = None
    """A native fio job file, absolute path, run until it is stopped."""
    job_text: str | None = None
    least: float = 0.0
    """Rounds or I/Os per second below which the load counts as not running."""


ALONE, LOADED = "alone", "loaded"
"""Values of the parameter `load`."""
RESERVED = ("load", "cpus")
"""Parameters that the gate itself obeys: they are no options of a harness."""
UNTIMED = frozenset({"instructions"})
"""Harnesses whose values do not depend on how fast the machine is, and may repeat exactly."""
CLOCK, BY_INSTRUCTIONS = "clock", "instructions"
"""Among the tools of a session: the clock of its machine went on by what was executed."""


def is_untimed(harness: str, tools: Mapping[str, str]) -> bool:
    """Whether values may repeat exactly: counted, or timed by a clock that counts."""
    return harness in UNTIMED or tools.get(CLOCK) == BY_INSTRUCTIONS


ALWAYS_INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "CI")
"""Variables of the gate's own environment that every workload gets; others a profile names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a harness runs. Each harness reads its own fields and ignores the others.

    The form of a profile says what each means, and which harness it belongs to.
    """

    command: str | None = None
    shell: str = "none"
    prepare: str | None = None
    warmup: int = 0
    job_file: str | None = None
    """fio: the native job file, absolute path."""
    job_text: str | None = None
    """fio: the text of that file as it was read."""
    python: str | None = None
    """pytest-benchmark: the interpreter; absent means the one that runs the gate."""
    directory: str | None = None
    arguments: tuple[str, ...] = ()
    replay_file: str | None = None
    """replay: the JSON file of recorded values, absolute path."""
    parameters: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    inherits: tuple[str, ...] = ()
    """Variables of the gate's own environment that it gets beside `ALWAYS_INHERITED`."""
    outputs: tuple[Output, ...] = ()
    expect: Expectation | None = None
    operations: str = ""
    transferred: str = ""
    guest: Guest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A profile, read and checked; what is not said here, its form says."""

    name: str
    """The file's stem."""
    path: str
    """The file it came from, for messages."""
    root: str
    """Project root: the directory that holds `profiles/`."""
    harness: str
    """`fio`, `hyperfine`, `pytest-benchmark`, `instructions` or `replay`."""
    about: str
    digest: str
    """Hash of everything that decides what is run; tolerances are not part of it."""
    work: Work
    benchmarks: tuple[Benchmark, ...]
    metrics: tuple[Metric, ...]
    trials: Trials = Trials()
    timeout: float = 600.0
    """Seconds after which a trial is killed and counts as failed."""
    loud: Leeway = field(default_factory=Leeway)
    """How far above its own tolerance a metric is judged that is too noisy for it."""
    sides: dict[str, SideSpec] = field(default_factory=dict)
    """`base` and `head`, where the profile declares them."""
    size: str = "full"
    """`full`, or the smaller size that was asked for."""
    needs: tuple[Need, ...] = ()
    background: Background | None = None
    control: bool = False
    """No benchmark of it can be reached by a change: if one moves, the host moved."""
    companions: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()
    subject: Activation = field(default_factory=Activation)
    """How its sides are activated and proven."""
    storage: Storage | None = None
    """What state the storage must be in; absent where that does not matter."""
    inputs: tuple[str, ...] = ()
    """Patterns, from the root, of files that make the benchmark and do so not by themselves."""
    input_files: dict[str, str] = field(default_factory=dict)
    """Every input: its path from the root -> hash."""
    plant: Plant | None = None
    """Calibration only: base and head are the same, but for what is planted into the head."""
    left_out: int = 0
    """Benchmarks that `--benchmark` left out, groups not counted."""


TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
"""A doubled brace, a name in braces (the group), or a brace without a partner."""


def names_in(template: str) -> frozenset[str]:
    """Every name in braces; doubled braces are plain ones and hold none."""
    return frozenset(match[1] for match in TOKEN.finditer(template) if match[1] is not None)
