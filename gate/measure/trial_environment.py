"""What stands around the processes of a trial: their processors, the load, the CPU account."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.linux.cpu_list import cpus_of, each_cpu
from gate.measure.load.background import background_load
from gate.measure.process.pinning import pin_child
from gate.measure.process.process import run
from gate.model import parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.harness.base import Command, Outcome, TrialContext
    from gate.measure.cpu.account import Accountant
    from gate.measure.load.background import Load
    from gate.measure.process.stop import Stop


@dataclass(slots=True)
class Surroundings:
    """Those of one trial; they change while it goes on."""

    stop: Stop
    accountant: Accountant | None
    look: Callable[[], float] | None = None
    """Called while a process runs; gives the seconds until it wants to be called again."""
    load: Load | None = None
    """The load at work beside it now."""
    enter: Callable[[], None] | None = None
    """What every process of it calls first, to be put onto its processors."""
    used: float | None = 0.0
    """CPU-seconds of its processes so far; None where nobody knows what some of them used."""

    def run(self, command: Command) -> Outcome:
        """Run one process of the trial; with a load, the last one is what the load is held to."""
        if self.load is not None:
            self.load.begin()
        outcome = self._accounted(command)
        if self.load is not None:
            self.load.end()
        own = outcome.usage
        if own is None or self.used is None or outcome.orphans or self.load is not None:
            self.used = None
        else:
            self.used += own.user + own.system
        return outcome

    def _accounted(self, command: Command) -> Outcome:
        if self.accountant is None:
            return run(command, self.stop, sample=self.look, enter=self.enter)
        return self.accountant.run(
            command,
            lambda one, sample: run(one, self.stop, sample=self._both(sample), enter=self.enter),
            self.load.cpu if self.load is not None else None,
        )

    def _both(self, sample: Callable[[], float]) -> Callable[[], float]:
        """The account's look together with ours, each as often as the hastier of them asks."""
        look = self.look
        return sample if look is None else lambda: min(look(), sample())

    @contextmanager
    def pinned(self, context: TrialContext, usual: str = "") -> Iterator[None]:
        """Inside, processes run where the trial's `cpus` say, else where the host is tuned for it.

        Raises:
            TrialFailed: there are no such processors.
        """
        given = parameters_of(context.profile, context.benchmark).get("cpus")
        own = cpus_of(usual) if given is None else None
        # The host's may be isolated ones, which this process itself may not use yet.
        with pin_child(each_cpu(own) if own else given, own) as self.enter:
            yield
        self.enter = None

    @contextmanager
    def loaded(self, context: TrialContext) -> Iterator[Load | None]:
        """Inside, the background load is at work, where one belongs beside this trial.

        Raises:
            TrialFailed: it does not start or does not work.
            StopRequested: a signal came.
        """
        with background_load(context, self.stop) as self.load:
            yield self.load
        self.load = None
