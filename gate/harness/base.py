"""What every harness offers to the measuring room, and what it gets from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.model import Benchmark, CpuBill, Percentiles, Profile, Side, Touch, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One process to run."""

    argv: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    timeout: float
    """Seconds; the whole process group is killed after them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a process and those of its descendants that it waited for have used."""

    user: float
    """CPU-seconds in user space."""
    system: float
    """CPU-seconds in the kernel, on behalf of its own tasks."""
    memory: float
    """Bytes: the largest resident set of one of them; 0 where the gate's own, which a child is
    born with, is larger."""
    voluntary: int
    """Context switches because it waited."""
    involuntary: int
    """Context switches because its time was up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a process ended."""

    status: int
    """Exit status; negative is the number of the signal that ended it."""
    output: str
    """Standard output, at most 16 MiB of it, undecodable bytes replaced."""
    errors: str
    """Standard error, likewise."""
    timed_out: bool
    duration: float
    """Wall-clock seconds."""
    usage: Usage | None = None
    """Absent where nobody waited for it through the kernel."""
    orphans: bool = False
    """Whether it left processes behind, which were killed: nobody knows what they used."""
    stragglers: tuple[str, ...] = ()
    """Command lines of those that went on working after it had ended by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialContext:
    """Everything one trial depends on."""

    profile: Profile
    benchmark: Benchmark
    side: Side
    side_directory: Path | None
    """Absolute directory of this side; what `{side}` stands for."""
    environment: Mapping[str, str]
    """The complete environment of the child, side variables included."""
    work: Path
    """Absolute directory for data files; nothing outside it is written."""
    scratch: Path
    """Absolute empty directory for this trial's exports, removed afterwards."""
    index: int
    """How many trials of this benchmark and side came before."""
    device: str = ""
    """Path of the block device that the owner gave to the gate, held for us; empty without one."""
    run: Callable[[Command], Outcome] = field(repr=False)
    """Runs a process in a group of its own and kills the group when it must."""

    def error(self, code: str, message: str, cure: str) -> InputError:
        """The error of a profile that asks for something unsafe or impossible."""
        return InputError(code, message, place=self.profile.path, cure=cure)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDone:
    """The measured window of a trial, and what was completed in it."""

    ended: float | None = None
    """Unix time at which the window ended; absent where it is the process's whole life."""
    seconds: float | None = None
    """Length of the window; absent likewise."""
    operations: float
    transferred: float = 0.0
    """Bytes; 0 where nothing tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one trial gave."""

    values: tuple[Value, ...]
    notes: tuple[str, ...] = ()
    """Warnings of the harness, for the trial's record."""
    work: WorkDone | None = None
    """What was done in which part of the trial; absent where the harness cannot tell."""
    latencies: tuple[Percentiles, ...] = ()
    """Completion latencies by kind of I/O; empty where the harness tells none."""
    bill: CpuBill | None = None
    """What it cost, where that was accounted elsewhere: inside a guest."""
    functions: Mapping[str, float] = field(default_factory=dict)
    """Instructions of one operation by kernel function; empty where nobody counts them."""
    coverage: Touch | None = None
    """Which of the changed functions it called; absent where nobody looks for that."""


class Harness(ABC):
    """A program that measures."""

    name: str
    kinds: Mapping[str, MetricKind]
    """The metrics it can give, by name."""

    @abstractmethod
    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Versions of the programs it needs.

        Raises:
            MeasureError: a program is missing, too old, or does not say its version.
        """

    @abstractmethod
    def check(self, context: TrialContext) -> None:
        """Refuse, before anything is run, what must not be run.

        Raises:
            InputError: the profile asks for something unsafe or impossible.
        """

    def prepare(self, context: TrialContext) -> None:
        """Make what the trials of this benchmark and side need, once, before the first.

        Raises:
            TrialFailed: it could not be made.
        """
        return

    @abstractmethod
    def trial(self, context: TrialContext) -> Reading:
        """Run one fresh process and read its values.

        Raises:
            TrialFailed: no usable number came out.
        """


class HarnessAround(Harness):
    """A harness around another, which answers where nothing else is said."""

    def __init__(self, inner: Harness) -> None:
        self.name, self.kinds, self.inner = inner.name, inner.kinds, inner

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Versions of the programs that the inner one needs."""
        return self.inner.tools(profile, environment)

    def check(self, context: TrialContext) -> None:
        """Refuse what the inner one refuses."""
        self.inner.check(context)

    def prepare(self, context: TrialContext) -> None:
        """Make what the inner one needs."""
        self.inner.prepare(context)


class Planter(ABC):
    """How one harness is made slower by a known loss; only a calibration does that."""

    @abstractmethod
    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """The metrics that grow by the share asked for, the one to measure by first."""

    def refusal(self, profile: Profile, benchmark: Benchmark) -> str:
        """Why a loss cannot be planted honestly into this benchmark; empty when it can."""
        return ""

    @abstractmethod
    def size(
        self, inner: Harness, context: TrialContext, loss: float, metric: str
    ) -> dict[str, str]:
        """Measure what the loss takes, as settings for `slowed` and `reading`.

        Raises:
            TrialFailed: a trial failed, or the benchmark is too short for so small a loss.
        """

    def slowed(self, context: TrialContext, settings: Mapping[str, str]) -> TrialContext:
        """The context of a slowed trial."""
        return context

    def reading(
        self, context: TrialContext, reading: Reading, settings: Mapping[str, str]
    ) -> Reading:
        """What a slowed trial gave."""
        return reading
