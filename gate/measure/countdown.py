"""The time that a whole check may take, by the monotonic clock, and what is kept back for its end.

No block of pairs begins that would not end in time, by what its trials took so far. A trial that
takes far longer all the same is abandoned, and its block with it: it counts for nothing.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from gate.errors import CannotJudge
from gate.model import TimeBudget
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

CLOSING = 2.0
"""Seconds kept back for what comes after the last trial: controls, judging, the report."""
CLOSING_EACH = 0.02
"""Seconds more for each benchmark, which the report draws."""
_SLOWER = 1.1
"""A block may take this much longer than trials took so far."""
_OVER = 0.02
"""Of the budget, how much of it a running trial may be late."""


class OutOfTime(BaseException):
    """The time budget is spent while a trial runs: like a signal, nothing else swallows it."""

    def __init__(self, countdown: Countdown, needed: float = 0.0) -> None:
        """`needed` is about what the budget must be for what is going on; 0 if unknown."""
        super().__init__(needed)
        self.countdown, self.needed = countdown, needed


class Countdown:
    """How much of its time a check has spent."""

    def __init__(
        self,
        seconds: float,
        *,
        before: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`before` is what was spent before an interruption."""
        self.seconds = seconds
        self.closing = CLOSING
        self._clock, self._began = clock, clock() - before

    @property
    def spent(self) -> float:
        """Seconds since the check began."""
        return self._clock() - self._began

    @property
    def left(self) -> float:
        """Seconds in which something may still be measured; below 0 where there are none."""
        return self.seconds - self.closing - self.spent

    def keep_back(self, benchmarks: int) -> None:
        """Keep back what the end of a check of so many benchmarks takes."""
        self.closing = CLOSING + CLOSING_EACH * benchmarks

    def add(self, before: float) -> None:
        """Count what was spent before; a negative time is not counted after all."""
        self._began -= before

    def demand(self, seconds: float, until: float = math.inf) -> None:
        """Raise `OutOfTime` where it does not hold work of about so many seconds."""
        if not self.holds(seconds, until):
            raise OutOfTime(self)

    def holds(self, seconds: float, until: float = math.inf) -> bool:
        """Whether work of about so many seconds would end in time.

        `until` is what may be spent by then, where that is less than all.
        """
        return self.spent + _SLOWER * seconds <= min(until, self.seconds - self.closing)

    def share(self, needs: Sequence[float]) -> float:
        """What may be spent by the time when the first of several is done that need so much."""
        part = needs[0] / sum(needs) if sum(needs) > 0 else 1.0
        return self.spent + max(self.left, 0.0) * part

    def expect(self, done: int, planned: int, began: float) -> None:
        """See that all planned trials will end in time, at the pace of those done since `began`.

        Raises:
            OutOfTime: they will not.
        """
        rest = (planned - done) * (self.spent - began) / done
        if rest and not self.holds(rest):
            raise OutOfTime(self, self.spent + _SLOWER * rest + self.closing)

    def too_short(self, needed: float) -> CannotJudge:
        """That it does not hold the screens, which need about so many seconds in all (G284)."""
        takes = f"about {show_duration(needed)} are needed" if needed else "it ended within them"
        wanted = f"--within {math.ceil(needed / 60)}min" if needed else "more with --within"
        return CannotJudge(
            "G284",
            f"the time budget of {show_duration(self.seconds)} cannot hold the screens alone: "
            f"{takes}, and no pairs yet.",
            cure=f"Give it {wanted}, or check fewer profiles.",
        )

    def look(self) -> float:
        """The seconds that a running trial still has.

        Raises:
            OutOfTime: there are none.
        """
        left = self.left + _OVER * self.seconds
        if left <= 0:
            raise OutOfTime(self)
        return left

    def fact(self, left_open: Iterable[str] = ()) -> TimeBudget:
        """What a session says of it; `left_open` are benchmarks that it left undecided."""
        return TimeBudget(
            seconds=self.seconds, spent=round(self.spent, 3), left_open=tuple(sorted(left_open))
        )
