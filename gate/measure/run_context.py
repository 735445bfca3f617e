"""The run of one profile on this host, and what stands around the processes of its trials."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, TrialFailed
from gate.harness.base import TrialContext
from gate.harness.expand import own_environment
from gate.linux.cpu_list import cpus_of
from gate.measure.process.background import background_load
from gate.measure.process.environment import child_environment
from gate.measure.process.pinning import chosen_cpus, pin_child
from gate.measure.process.process import run_process
from gate.measure.trial_retry import BORNE
from gate.model import parameters_of
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.harness.base import Command, Harness, Outcome
    from gate.host.disturbance.watch import Watch
    from gate.host.tuning.tuning import TuningResult
    from gate.measure.countdown import Countdown
    from gate.measure.cpu.account import Accountant
    from gate.measure.process.background import Load
    from gate.measure.process.stop import Stop
    from gate.measure.storage.state import StorageState
    from gate.model import Benchmark, Changes, Host, Kernel, Profile, ReviewedTrees, Side, Trial
    from gate.subject.command import ActiveSide
    from gate.subject.switch import Switch


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One finished trial, for whoever shows progress."""

    profile: str
    done: int
    total: int | None
    """Of trials; of pairs the most that may be taken, as they end with a proof. Absent where the
    number of trials depends on what they show."""
    side: str
    trial: Trial
    units: dict[str, str]
    """Unit of each metric that the profile names."""
    left: float | None = None
    """Seconds that are left of the time budget; absent without one."""


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
    alone: bool = False
    """Whether only one side is measured, as for a baseline: then nothing hits both alike."""
    restarts: bool = False
    """Whether each trial is a boot of this machine, so that none shares a process with another."""
    accountant: Accountant | None = None
    """Keeps the CPU account; absent where the profile asks for no CPU cost."""
    changes: Changes | None = None
    """The functions that differ between the sides, whose calls are counted; absent if unknown."""
    trees: ReviewedTrees | None = None
    """What of the repository is in force, and what the change changed; absent without that."""
    storage: StorageState | None = None
    """What keeps the storage in its state; absent where the profile asks for none."""
    switch: Switch | None = None
    """What activates a side; absent where there is nothing to activate."""
    watch: Watch | None = None
    """Notices what disturbed a trial; absent where nothing is measured."""
    tuned: TuningResult | None = None
    """What is tuned on the host meanwhile."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the workload inherits: name -> hash of the value."""
    notes: tuple[str, ...] = ()
    """What of the host is not as it should be, written into every session of this run."""
    kernel: Kernel | None = None
    """Absent where nothing is measured, or the kernel does not give its release."""
    kernels: Mapping[Side, Kernel] = field(default_factory=dict)
    """Of sides that are kernels which are booted for their trials."""
    say: Callable[[str], None] = lambda _: None
    """Receives lines for the person who waits."""
    await_turn: Callable[[], None] = lambda: None
    """Lets others who wait for the host measure first, where something was measured before."""
    reread: Callable[[], Host] | None = None
    """Reads the host's facts again; absent where nothing is measured."""
    countdown: Countdown | None = None
    """The time that the whole check may take; absent where it may take what it needs."""
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
                left=self.countdown.left if self.countdown else None,
            )
        )

    @property
    def borne(self) -> frozenset[str]:
        """Kinds of disturbance that set no trial aside, as both sides are measured together.

        Not the work of others where a cost of the whole machine is judged: that is added to both
        sides, and would hide a loss in the sum.
        """
        if self.alone or not self.paired:
            return frozenset()
        whole = self.accountant is not None and bool(self.accountant.gated)
        return BORNE - ({"foreign_cpu"} if whole else set())

    @property
    def data_directory(self) -> Path:
        """Where data files are: on the storage that is prepared, else in the work directory."""
        return self.storage.work if self.storage is not None else self.work


@dataclass(slots=True)
class Surroundings:
    """What stands around the processes of one trial; it changes while the trial goes on."""

    stop: Stop
    accountant: Accountant | None
    looks: tuple[Callable[[], float], ...] = ()
    """Called while a process runs; each gives the seconds until it wants to be called again."""
    load: Load | None = None
    """The load at work beside it now."""
    enter: Callable[[], None] | None = None
    """What every process of it calls first, to be put onto its processors."""
    used: float | None = 0.0
    """CPU-seconds of its processes so far; None where nobody knows what some of them used."""

    def run(self, command: Command) -> Outcome:
        """Run one process of the trial; the load is held to what it does beside the last one."""
        load, meter, looks = self.load, None, list(self.looks)
        if load is not None:
            load.begin()
        if self.accountant is not None:
            meter = self.accountant.open_meter(load.cpu if load else None)
            looks.append(meter.sample)
        # Each as often as the hastiest of them asks.
        sample = (lambda: min([look() for look in looks])) if looks else None
        outcome = run_process(command, self.stop, sample=sample, enter=self.enter)
        if meter is not None:
            meter.end(outcome.usage)
        if load is not None:
            load.end()
        own = outcome.usage
        if own is None or self.used is None or outcome.orphans or load is not None:
            self.used = None
        else:
            self.used += own.user + own.system
        if outcome.stragglers and outcome.status == 0:
            count, first = len(outcome.stragglers), outcome.stragglers[0]
            raise TrialFailed(
                f"{Path(command.argv[0]).name} ended and left "
                f"{'a process' if count == 1 else f'{count} processes'} behind, which went on "
                f"unmeasured and was killed: {first}"
            )
        return outcome

    @contextmanager
    def pinned(self, context: TrialContext, usual: str = "") -> Iterator[None]:
        """Inside, processes run where the trial's `cpus` say, else where the host is tuned."""
        given = parameters_of(context.profile, context.benchmark).get("cpus")
        # The host's may be isolated ones, which this process itself may not use yet.
        cpus = cpus_of(usual)
        if given is not None:
            cpus = chosen_cpus(given, frozenset(os.sched_getaffinity(0)))
        with pin_child(cpus) as self.enter:
            yield
        self.enter = None

    @contextmanager
    def loaded(self, context: TrialContext) -> Iterator[Load | None]:
        """Inside, the background load is at work, where one belongs beside this trial."""
        with background_load(context, self.stop) as self.load:
            yield self.load
        self.load = None


@contextmanager
def trial_context(
    run: RunContext,
    side: Side,
    benchmark: Benchmark,
    index: int = 0,
    around: Surroundings | None = None,
) -> Iterator[TrialContext]:
    """The context of a trial, with an empty directory for its exports; G208 where that is refused.

    Without surroundings it is for what belongs to no session's trial: nothing is loaded or pinned.
    """
    active, around = run.sides[side], around or Surroundings(run.stop, run.accountant)
    with ExitStack() as stack:
        try:
            scratch = stack.enter_context(scratch_directory("trial", run.work))
        except OSError as error:
            message = f"the work directory cannot be used: {error.strerror}."
            cure = "Check what removed or filled it, or name another with --work DIR."
            raise InputError("G208", message, cure=cure, place=str(run.work)) from error
        context = TrialContext(
            profile=run.profile,
            benchmark=benchmark,
            side=side,
            side_directory=active.directory,
            environment={},
            work=run.data_directory,
            scratch=scratch,
            index=index,
            device=run.storage.device if run.storage else "",
            run=around.run,
        )
        # Commands run in the project root: these say which trial it is and where it may write.
        always = {"GATE_TRIAL": str(index), "GATE_WORK": str(context.work)}
        if device := run.profile.subject.device or context.device:
            always["GATE_DEVICE"] = device
        given = child_environment(active, own_environment(context), run.profile.work.inherits)
        complete = given | always
        yield replace(context, environment=complete)
