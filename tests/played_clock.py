"""A check whose clock is played: trials take the seconds that a test says, and nothing else any.

with played_clock(lambda trial: 1.0) as clock:      # every trial takes a second
    project.gate("check", "p", "--within", "20min")
clock.now                                           # seconds that it took
"""

from __future__ import annotations

import contextlib
import types
from functools import partial
from typing import TYPE_CHECKING
from unittest import mock

from gate.harness.replay import Replay
from gate.measure.countdown import Countdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.harness.base import TrialContext


class PlayedClock:
    """Seconds that go on only while a trial runs."""

    def __init__(self, takes: Callable[[TrialContext], float]) -> None:
        self.now, self.takes = 0.0, takes
        self.order: list[tuple[str, str]] = []
        """Benchmark and side of every trial."""

    def __call__(self) -> float:
        return self.now

    def play(self, context: TrialContext) -> None:
        """Let a trial take its time, with the looks that a running process is given."""
        self.order.append((context.benchmark.name, context.side.value))
        ends, looks = self.now + self.takes(context), context.run.__self__.looks
        while self.now < ends:
            self.now = min([ends, *(self.now + look() + 1e-6 for look in looks)])


@contextlib.contextmanager
def played_clock(takes: Callable[[TrialContext], float]) -> Iterator[PlayedClock]:
    """Inside, checks of replayed values live on a played clock."""
    clock, trial = PlayedClock(takes), Replay.trial

    def timed(self, context):
        clock.play(context)
        return trial(self, context)

    with (
        mock.patch.object(Replay, "trial", timed),
        mock.patch("gate.measure.trial.time", types.SimpleNamespace(monotonic=clock)),
        mock.patch("gate.pipeline.check.Countdown", partial(Countdown, clock=clock)),
    ):
        yield clock
