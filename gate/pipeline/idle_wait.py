"""Spare time: waiting until nobody else measures or works here, and stopping when time is up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from gate.errors import CannotJudge
from gate.linux.proc_stat import busy_now
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.measure.process.stop import Stop

P = ParamSpec("P")
R = TypeVar("R")

IDLE = 0.1
"""A machine that uses less than this share of its processors is idle."""
_PAUSE = 5.0
"""Seconds between two looks."""


class TimeIsUp(Exception):
    """The time given to a calibration has passed, or the next round would not fit into it."""


class SpareTime:
    """The time that a calibration may take, and the moments it may take it in."""

    def __init__(
        self,
        seconds: float | None,
        stop: Stop,
        say: Callable[[str], None],
        *,
        when_idle: bool,
        wait: float | None = None,
    ) -> None:
        """`wait` is how long to wait for another process that measures; None for no limit."""
        self._wait = wait
        self._end = None if seconds is None else time.monotonic() + seconds
        self._stop, self._say, self._when_idle = stop, say, when_idle

    def demand(self, seconds: float) -> None:
        """Ask for room for something that takes so long; without any time is up."""
        if self._end is not None and time.monotonic() + seconds > self._end:
            raise TimeIsUp

    def wait_until_idle(self) -> None:
        """Sleep until the machine is idle, if that was asked for and there is room for it."""
        told = False
        while self._when_idle and (busy := self._look()) >= IDLE:
            if not told:
                self._say(f"waiting: {busy:.0%} of the processors are used")
            told = True
            self._pause()

    def alone(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call what measures; sleep and try again while another process measures.

        Raises:
            TimeIsUp: the other one was not ready in time.
            CannotJudge: G240, it was not ready in the time that may be waited.
            StopRequested: a signal came.
        """
        told, began = False, time.monotonic()
        while True:
            try:
                return function(*args, **kwargs)
            except CannotJudge as busy:
                over = self._wait is not None and time.monotonic() - began >= self._wait
                if busy.code != "G240" or over:
                    raise
                if not told:
                    self._say(
                        f"waiting: {busy.message} Looking again every {show_duration(_PAUSE)}."
                    )
                told = True
            self._pause()

    def _look(self) -> float:
        with self._stop.interruptible():
            return busy_now()

    def _pause(self) -> None:
        self.demand(_PAUSE)
        with self._stop.interruptible():
            time.sleep(_PAUSE)
