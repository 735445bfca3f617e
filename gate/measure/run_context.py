"""The run of one profile on this host: everything its trials depend on, fixed before the first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gate.harness.base import Harness
    from gate.host.disturbance.watch import Watch
    from gate.host.tuning.tuning import TuningResult
    from gate.measure.cpu.account import Accountant
    from gate.measure.process.stop import Stop
    from gate.measure.storage.state import StorageState
    from gate.model import Benchmark, Host, Kernel, Profile, Session, Side, Touch, Trial
    from gate.subject.command import ActiveSide
    from gate.subject.switch import Switch


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One finished trial, for whoever shows progress."""

    profile: str
    done: int
    total: int | None
    """Absent where the number of trials depends on what they show."""
    side: str
    trial: Trial
    units: dict[str, str]
    """Unit of each metric that the profile names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Everything the trials of one profile depend on, in one run on this host."""

    profile: Profile
    harness: Harness
    sides: Mapping[Side, ActiveSide]
    host: Host
    boot: str
    tools: dict[str, str]
    work: Path
    """Absolute; nothing outside it is written by a harness."""
    stop: Stop
    tell: Callable[[Progress], None]
    paired: bool
    """Whether both sides can be activated."""
    restarts: bool = False
    """Whether each trial is a boot of this machine, so that none shares a process with another."""
    accountant: Accountant | None = None
    """Keeps the CPU account; absent where the profile asks for no CPU cost."""
    coverage: Callable[[RunContext, Session, Benchmark], Touch | None] | None = None
    """Finds out once which changed functions a side's trials call; absent without a change."""
    storage: StorageState | None = None
    """What keeps the storage in its state; absent where the profile asks for none."""
    switch: Switch | None = None
    """What activates a side; absent where there is nothing to activate."""
    watch: Watch | None = None
    """Notices what disturbed a trial; absent where nothing is measured."""
    tuned: TuningResult | None = None
    """What is tuned on the host meanwhile."""
    notes: tuple[str, ...] = ()
    """What of the host is not as it should be, written into every session of this run."""
    kernel: Kernel | None = None
    """Absent where nothing is measured, or the kernel does not give its release."""
    kernels: Mapping[Side, Kernel] = field(default_factory=dict)
    """Of sides that are kernels which are booted for their trials."""
    reread: Callable[[], Host] | None = None
    """Reads the host's facts again; absent where nothing is measured."""
    prepared: set[tuple[str, Side]] = field(default_factory=set)
    """Benchmarks and sides whose files are laid out in this process."""

    def report(self, side: Side, trial: Trial, done: int, total: int | None) -> None:
        """Report a finished trial to whoever shows progress."""
        self.tell(
            Progress(
                profile=self.profile.name,
                done=done,
                total=total,
                side=side.value,
                trial=trial,
                units={metric.name: metric.unit for metric in self.profile.metrics},
            )
        )

    @property
    def data_directory(self) -> Path:
        """Where data files are: on the storage that is prepared, else in the work directory."""
        return self.storage.work if self.storage is not None else self.work
