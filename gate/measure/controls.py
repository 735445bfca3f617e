"""When the built-in controls run: at the start of a session, between its trials, at its end.

Never beside a trial: what is under test cannot slow them, nor they a trial. They take about a tenth
of a second, so that at most one in `APART` seconds costs a session of any length below 2 %; a
short one pays for `FIRST` and the last.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gate.host.controls import CONTROLS
from gate.model import UNTIMED, Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.measure.recorder import SessionRecorder
    from gate.measure.run_context import RunContext

APART = 10.0
"""Seconds from one run to the next between trials, at least."""
FIRST = 2
"""Runs before the first trial; with the one after the last a session has three at least."""


class Controls:
    """The controls of one session, or of both sessions of pairs, which share every run of them."""

    def __init__(self, run: RunContext, *recorders: SessionRecorder) -> None:
        self.stop, self.recorders = run.stop, recorders
        measured = all(one.session.source is Source.MEASURED for one in recorders)
        measured = measured and run.profile.harness not in UNTIMED
        # Another kernel slows them too: then they would tell of the change, not of the machine.
        measured = measured and not run.restarts
        self.known: dict[str, Callable[[], float]] = dict(CONTROLS) if measured else {}
        self._last = 0.0

    def begin(self) -> None:
        """Run them before the first trial; a resumed session gets these runs once more."""
        for _ in range(FIRST):
            self._run()

    def between(self) -> None:
        """Run them where the last time is long ago."""
        if time.monotonic() - self._last >= APART:
            self._run()

    def end(self) -> None:
        """Run them after the last trial."""
        self._run()

    def _run(self) -> None:
        seconds: dict[str, float] = {}
        failed = ""
        for name, control in self.known.items():
            self.stop.check()
            try:
                seconds[name] = control()
            except OSError as error:
                self.stop.check()  # the signal that stops us may have reached the child first
                failed = f"the built-in control {name} could not be run: {error}"
        self._last = time.monotonic()
        for recorder in self.recorders if self.known else ():
            recorder.add_controls(seconds, failed)
