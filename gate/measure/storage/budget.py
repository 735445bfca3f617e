"""How much a profile writes, by the kernel's account of our processes, and how much it may."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.errors import MeasureError, TrialFailed
from gate.linux.processes import process_io
from gate.units import percent, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LOOK = 1.0
"""Seconds between two looks at what a running trial has written."""


def written_by(process: int | str) -> float:
    """Bytes that a process and its children that were waited for sent to storage so far.

    Buffered writes count when the page is dirtied; a process that is gone wrote nothing more.
    """
    return float((process_io(process) or {}).get("write_bytes", 0))


class BudgetSpent(TrialFailed):
    """The running trial wrote more than was left."""


@dataclass(slots=True)
class Budget:
    """The account of one run."""

    limit: float | None
    """Bytes; None where anything goes."""
    profile: str
    """The file that sets it, for messages."""
    endurance: float | None = None
    """Bytes that the drive is rated to take, where that is known."""
    running: Callable[[], Iterable[int]] = tuple
    """The processes of the running trial, which nobody has waited for yet."""
    before: float = 0.0
    """Bytes of the sessions that were resumed."""
    _start: float = field(default_factory=lambda: written_by("self"))
    _reported: float = 0.0
    _begun: float | None = None
    _seen: float = 0.0
    """What the last look at a running trial saw."""
    _lost: float = 0.0
    """Bytes of processes that nobody waited for: they were seen at work, and in no sum."""
    _dearest: dict[str, float] = field(default_factory=dict)

    @property
    def used(self) -> float:
        """Bytes so far."""
        return self.before + written_by("self") - self._start + self._lost

    def since_last(self) -> float:
        """Bytes since the last call."""
        now = self.used - self.before
        new, self._reported = now - self._reported, now
        return new

    def demand(self, benchmark: str) -> None:
        """Refuse the next trial of a benchmark where one like those before would not fit (G257)."""
        self.demand_bytes(self._dearest.get(benchmark, 0.0), f"another trial of {benchmark}")

    def demand_bytes(self, size: float, what: str) -> None:
        """Refuse what is known to write more than is left (G257)."""
        used = self.used
        if self.limit is None or used + size <= self.limit:
            return
        raise MeasureError(
            "G257",
            f"{what} writes about {show(size, 'B')}, and {show(used, 'B')} of the "
            f"{show(self.limit, 'B')} that the profile may write are written.",
            cure="Raise storage.write_budget if the drive can take it, or measure less.",
            place=self.profile,
        )

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """What is written inside goes to no storage that is measured: it is not counted."""
        before = self.used
        try:
            yield
        finally:
            self._start += self.used - before

    def begin(self) -> None:
        """A trial begins: what was written to prepare it is no part of what it costs."""
        self._begun, self._seen = self.used, 0.0

    def end(self, benchmark: str) -> None:
        """It has ended: remember what it wrote."""
        self._lost += max(0.0, self._seen - self.used)
        self._seen = 0.0
        if self._begun is not None:
            cost = self.used - self._begun
            self._dearest[benchmark] = max(cost, self._dearest.get(benchmark, 0.0))
            self._begun = None

    def live(self) -> float:
        """Bytes so far, those of the processes that still run included."""
        return self.used + sum(written_by(one) for one in self.running())

    def look(self) -> float:
        """While a trial runs: stop it by `BudgetSpent` when it has written more than is left."""
        live = self._seen = max(self._seen, self.live())
        if self.limit is not None and live > self.limit:
            raise BudgetSpent(
                f"it was stopped: {show(live, 'B')} are written, and the profile's budget is "
                f"{show(self.limit, 'B')}"
            )
        return LOOK

    def summary(self) -> str:
        """One line for the reader."""
        of = f" of the {show(self.limit, 'B')} that it may" if self.limit is not None else ""
        wear = ""
        if self.endurance:
            share = percent(self.used / self.endurance, signed=False)
            wear = f", {share} of what the drive is rated for ({show(self.endurance, 'B')})"
        return f"wrote {show(self.used, 'B')}{of}{wear}"
