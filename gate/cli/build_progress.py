"""Progress of a long build on stderr, by the lines that its log grows by."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.progress import one_line
from gate.harness.base import Command
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.harness.base import Outcome
    from gate.subject.kernel_source import Step

    Start = Callable[[Command, Callable[[], float]], Outcome]

_LONGEST = 24 * 3600.0
_LIVE, _ELSEWHERE = 1.0, 20.0
"""Seconds between two looks at a log."""
_WIDTH = 79
_INTO_LOG = 'log=$1; shift; exec "$@" >>"$log" 2>&1'


class Watcher:
    """Runs the steps of a build and says how far they are."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._live = sys.stderr.isatty()
        self._step: Step | None = None
        self._log = Path()
        self._since = self._told = 0.0
        self._before = 0
        """Lines that the first build's log got while it compiled."""

    def run(self, step: Step, log: Path, environment: dict[str, str]) -> int:
        """One step, with its output at the end of a log; gives its exit status."""
        self._step, self._log, self._since = step, log, time.monotonic()
        argv = ("sh", "-c", _INTO_LOG, "sh", str(log), *step.argv)
        outcome = self._start(
            Command(argv=argv, directory=Path.cwd(), environment=environment, timeout=_LONGEST),
            self._look,
        )
        if step.told == "compiling":
            self._before = self._before or self._lines()
        return 124 if outcome.timed_out else outcome.status

    def say(self, text: str) -> None:
        """A line of its own."""
        self.done()
        print(one_line(text), file=sys.stderr, flush=True)

    def done(self) -> None:
        """Leave the terminal on a fresh line."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _look(self) -> float:
        every = _LIVE if self._live else _ELSEWHERE
        now = time.monotonic()
        spent = now - self._since
        if self._step is not None and spent > _LIVE and now - self._told >= every:
            self._told = now
            self._say(self._step.told, spent)
        return _LIVE

    def _say(self, told: str, spent: float) -> None:
        lines = self._lines()
        of = f" of about {self._before}" if self._before and told == "compiling" else ""
        line = one_line(f"{self._log.stem}: {told}, {lines}{of} lines, {show_duration(spent)}")
        if self._live:
            print(f"\r\033[K{line[:_WIDTH]}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def _lines(self) -> int:
        try:
            with self._log.open("rb") as file:
                return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 16), b""))
        except OSError:
            return 0
