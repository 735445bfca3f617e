"""Progress on stderr: one line rewritten on a terminal, one line per trial elsewhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from gate.model import TrialStatus
from gate.text import one_line
from gate.units import show, show_duration

if TYPE_CHECKING:
    from gate.measure.run_context import Progress

_USUAL_COLUMNS = 80


class ProgressDisplay:
    """Shows each finished trial and how long the rest will take."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self.live = sys.stderr.isatty() and not quiet
        """Whether a line can be rewritten."""
        self._spent: dict[str, list[float]] = {}

    def say(self, text: str) -> None:
        """A line of its own."""
        if not self._quiet:
            self.done()
            print(one_line(text), file=sys.stderr, flush=True)

    def rewrite(self, text: str, end: str = "") -> None:
        """A line that the next one replaces, where that can be; its end is always seen."""
        if not self.live:
            self.say(text + end)
            return
        self.done()
        # A wrapped line could not be rewritten: it gives way to its end.
        shown = one_line(text)[: max(0, _columns() - 1 - len(end))] + end
        print(shown, end="", file=sys.stderr, flush=True)

    def __call__(self, progress: Progress) -> None:
        """One trial has ended."""
        spent = self._spent.setdefault(progress.profile, [])
        spent.append(progress.trial.duration)
        if self._quiet:
            return
        line, left = self._line(progress), self._left(progress, sum(spent) / len(spent))
        if progress.trial.status is TrialStatus.OK:
            self.rewrite(line, left)
        else:
            self.say(line + left)

    def done(self) -> None:
        """Leave the terminal on a fresh line."""
        if self.live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _left(self, progress: Progress, mean: float) -> str:
        if progress.total is None or progress.total <= progress.done:
            return ""
        return f"  {show_duration((progress.total - progress.done) * mean)} left"

    def _line(self, progress: Progress) -> str:
        trial = progress.trial
        total = progress.total
        where = f"pair {progress.done}" if total is None else f"trial {progress.done}/{total}"
        if trial.status is TrialStatus.OK:
            shown = ", ".join(
                f"{value.metric} {show(value.value, progress.units.get(value.metric, '1'))}"
                for value in trial.values
                if value.metric in progress.units
            )
        elif trial.status is TrialStatus.ASIDE:
            shown = f"set aside: {'; '.join(one.text for one in trial.aside)[:300]}"
        else:
            shown = f"{trial.status.value}: {trial.note[:160]}"
        return f"{trial.benchmark} {where} {progress.side}: {shown}"


def _columns() -> int:
    """Width of the terminal; some say 0 when they do not know."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS
