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
        self.live = sys.stderr.isatty()
        self._spent: dict[str, list[float]] = {}

    def say(self, text: str) -> None:
        """A line of its own."""
        if not self._quiet:
            self._clear()
            print(one_line(text), file=sys.stderr, flush=True)

    def rewrite(self, line: str, left: str) -> None:
        """A line that the next one replaces; too long for it, it gives way to the time left."""
        if not self._quiet:
            self._clear()
            # A wrapped line could not be rewritten.
            shown = line[: max(0, _columns() - 1 - len(left))] + left
            print(shown, end="", file=sys.stderr, flush=True)

    def __call__(self, progress: Progress) -> None:
        """One trial has ended."""
        spent = self._spent.setdefault(progress.profile, [])
        spent.append(progress.trial.duration)
        line, left = one_line(_describe(progress)), ""
        if progress.total is not None and progress.done < progress.total:
            still = (progress.total - progress.done) * sum(spent) / len(spent)
            paired = progress.trial.pair is not None
            left = (
                f"{show_duration(2 * still)} at most" if paired else f"{show_duration(still)} left"
            )
            left = f"  {left}"
        if progress.left is not None:
            left = f"  {show_duration(progress.left)} of the time budget left"
        if self.live and progress.trial.status is TrialStatus.OK:
            self.rewrite(line, left)
        else:
            self.say(line + left)

    def done(self) -> None:
        """Leave the terminal on a fresh line."""
        self._clear()

    def _clear(self) -> None:
        if self.live and not self._quiet:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _describe(progress: Progress) -> str:
    trial, total, units = progress.trial, progress.total, progress.units
    what = "trial" if trial.pair is None else "pair"
    where = f"{what} {progress.done}" if total is None else f"{what} {progress.done}/{total}"
    if trial.status is TrialStatus.OK:
        values = [one for one in trial.values if one.metric in units]
        shown = ", ".join(f"{one.metric} {show(one.value, units[one.metric])}" for one in values)
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
