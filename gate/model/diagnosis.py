"""Why a benchmark regressed: what moved with it in extra runs that no verdict ever uses.

A hint and never a verdict: few runs, many counters, and what moves together need not be a cause.
What was counted in the runs comes first, and then what is made of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Interval, MaxLen

from gate.model.activation import Side
from gate.model.bounds import Cost, Count, LongText, Natural, Strict

MOST_MOVERS = 15
"""Counters that are shown of a benchmark."""
MOST_FRAMES = 250
"""Frames of a flame graph; a narrower one is left out first."""
MOST_CALLS = 12
"""Functions that are shown beside a flame graph."""
DEEPEST = 48
"""Frames of one stack, from its outermost."""
MOST_WHYS = 100
"""Regressions that extra runs are kept of."""
_Runs = Annotated[int, Interval(ge=0, le=1000)]
OTHERS = "other processes"
"""The outermost frame of what ran before the benchmark, and is no kernel thread."""
UNKNOWN = "[unknown]"
"""A frame whose function nobody knows."""


def unit_of(counter: str) -> str:
    """The base unit of a counter, by the end of its name: `time`, `bytes`, else events."""
    if counter.endswith(" time"):
        return "s"
    return "B" if counter.endswith(" bytes") else "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraRun(Strict):
    """One extra run: what the kernel counted while its last process lived."""

    side: Side
    seconds: float
    """Life of that process."""
    operations: float | None
    """What the trial completed; absent where the harness does not report it."""
    counts: dict[str, float] = field(default_factory=dict)
    """By counter, how much it grew; those that did not are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraRuns(Strict):
    """The extra runs of one benchmark, in their order: what is kept of them on disk."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mover(Strict):
    """A counter that lies elsewhere on the head side."""

    counter: LongText
    """Source and name: `vmstat: pgfault`."""
    unit: LongText
    base: Cost
    """Median of the base runs, of one `per`."""
    head: Cost
    score: Cost
    """Distance of the medians over the spread of the runs; see `gate.judge.context.diagnosis`."""
    longer: bool = False
    """It grew not clearly faster in a second: one operation may only take longer, or less long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Strict):
    """One frame of both sides' stacks laid together; a tree from its root, depth first."""

    name: LongText
    depth: Annotated[int, Interval(ge=0, le=DEEPEST)]
    """0 for the root."""
    base: Cost
    """CPU-seconds of one `per`, of this frame and all that it called."""
    head: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Strict):
    """A function, and what it used itself."""

    name: LongText
    base: Cost
    """CPU-seconds of one `per`, without what it called."""
    head: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Flame(Strict):
    """Where the processors were on both sides."""

    event: LongText
    samples_base: Natural
    samples_head: Natural
    frames: Annotated[tuple[Frame, ...], MaxLen(MOST_FRAMES)]
    calls: Annotated[tuple[Call, ...], MaxLen(MOST_CALLS)]
    """Those that moved most, largest move first; those of other processes last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why(Strict):
    """What moved with the regression of one benchmark."""

    profile: LongText
    benchmark: LongText
    per: LongText
    """What counters are divided by: `I/O`, `operation`, `run`, `second`."""
    runs_base: _Runs = 0
    """Extra runs that were counted."""
    runs_head: _Runs = 0
    compared: Count = 0
    """Counters with events enough to be compared."""
    movers: Annotated[tuple[Mover, ...], MaxLen(MOST_MOVERS)] = ()
    """Largest score first; those that only follow the time last."""
    flame: Flame | None = None
    """Absent where perf did not sample both sides."""
    notes: Annotated[tuple[LongText, ...], MaxLen(20)] = ()
    """What could not be done, and the cure."""
