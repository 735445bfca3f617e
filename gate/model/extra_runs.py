"""Extra runs of a regressed benchmark: what was counted in them, before anybody ranks it."""

from __future__ import annotations

from dataclasses import dataclass, field

from gate.model.bounds import STRICT
from gate.model.session import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraRun:
    """One extra run: what the kernel counted while its last process lived."""

    __pydantic_config__ = STRICT

    side: Side
    seconds: float
    """Life of that process."""
    operations: float | None
    """What the trial completed; absent where the harness does not tell."""
    counts: dict[str, float] = field(default_factory=dict)
    """By counter, how much it grew; those that did not are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraRuns:
    """The extra runs of one benchmark, in their order: what is kept of them on disk."""

    __pydantic_config__ = STRICT

    schema: int
    profile: str
    benchmark: str
    word: str
    """What one operation is called: `I/O`, `operation`, `run`."""
    runs: tuple[ExtraRun, ...]
    notes: tuple[str, ...] = ()
    """What could not be done, and the cure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Where the processors were in one run of a side, as perf sampled them."""

    event: str
    """What made perf look: `cpu-clock`, `cycles`."""
    every: float
    """CPU-seconds that one sample stands for."""
    run: ExtraRun
    """The run that was sampled; it has no counts."""
    stacks: dict[str, int]
    """Samples by stack, outermost frame first, joined by semicolons; the first is the command."""
