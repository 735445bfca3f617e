"""What stands around the processes of a trial: their processors, the load, the CPU account."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.measure.background import loaded
from gate.measure.pinning import pinned
from gate.measure.process import run
from gate.model import parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.harness.base import Command, Outcome, TrialContext
    from gate.measure.accountant import Accountant
    from gate.measure.background import Load
    from gate.measure.stop import Stop


@dataclass(slots=True)
class Surroundings:
    """Those of one trial; they change while it goes on."""

    stop: Stop
    accountant: Accountant | None
    load: Load | None = None
    """The load at work beside it now."""
    enter: Callable[[], None] | None = None
    """What every process of it calls first, to be put onto its processors."""

    def run(self, command: Command) -> Outcome:
        """Run one process of the trial; with a load, the last one is what the load is held to."""
        if self.load is not None:
            self.load.begin()
        outcome = self._accounted(command)
        if self.load is not None:
            self.load.end()
        return outcome

    def _accounted(self, command: Command) -> Outcome:
        if self.accountant is None:
            return run(command, self.stop, enter=self.enter)
        return self.accountant.run(
            command,
            lambda one, sample: run(one, self.stop, sample=sample, enter=self.enter),
            self.load.cpu if self.load is not None else None,
        )

    @contextmanager
    def pinned(self, context: TrialContext) -> Iterator[None]:
        """Inside, processes run where the trial's `cpus` say.

        Raises:
            TrialFailed: there are no such processors.
        """
        given = parameters_of(context.profile, context.benchmark).get("cpus")
        with pinned(given) as self.enter:
            yield
        self.enter = None

    @contextmanager
    def loaded(self, context: TrialContext) -> Iterator[Load | None]:
        """Inside, the background load is at work, where one belongs beside this trial.

        Raises:
            TrialFailed: it does not start or does not work.
            StopRequested: a signal came.
        """
        with loaded(context, self.stop) as self.load:
            yield self.load
        self.load = None
