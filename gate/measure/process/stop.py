"""Clean interruption: SIGINT and SIGTERM end the running trial, never a file half written."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What stops us, unless it was ignored before, as `nohup` wants it."""


class StopRequested(BaseException):
    """A signal asked us to stop; not an error, so no `except Exception` swallows it.

    Whatever measures, sleeps or waits for a process may raise it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Stop:
    """Remembers the first signal, and raises it only where a trial may be abandoned."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._waiting = False

    @contextmanager
    def listening(self) -> Iterator[Stop]:
        """Handle the signals while inside, and put the old handlers back after.

        Once a signal came the process is about to end, and further ones stay ignored: a second
        Ctrl-C must not cut short what the first one makes it tidy up and say.
        """
        before = {
            number: signal.signal(number, self._heard)
            for number in SIGNALS
            if signal.getsignal(number) is not signal.SIG_IGN
        }
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler if self.number is None else signal.SIG_IGN)

    def check(self) -> None:
        """Raise `StopRequested` if a signal came."""
        if self.number is not None:
            raise StopRequested(self.number)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, a signal raises at once; outside it is remembered until `check`."""
        self._waiting = True
        try:
            self.check()
            yield
        finally:
            self._waiting = False

    def sleep(self, seconds: float) -> None:
        """Sleep; a signal ends that by `StopRequested`."""
        with self.interruptible():
            time.sleep(seconds)

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        self.number = self.number or number
        if self._waiting:
            self._waiting = False
            raise StopRequested(self.number)
