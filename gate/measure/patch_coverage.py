"""Whether a trial's work calls what the change changed: one extra run of each side, not measured.

The functions that differ are known from the machine code of both sides; in the extra run each has
a probe that counts its calls. It comes after the first trial of a benchmark, never in it.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.linux.perf_event import CallCounts, NoCounters
from gate.measure.activation import activate_side
from gate.measure.run_context import trial_context
from gate.model import MOST_CHANGED, Ran, Side, Touch

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Changes, Session

_ELSEWHERE = {Side.BASE: "added", Side.HEAD: "removed"}
"""What a side cannot call, as it has no such function."""
_NAMED = 3


def toucher(
    changes: Changes | None,
) -> Callable[[RunContext, Session, Benchmark], Touch | None] | None:
    """What looks after a session's first good trial; None where nothing is known to compare."""
    return partial(_once, changes) if changes is not None else None


def _once(
    changes: Changes, sitting: RunContext, session: Session, benchmark: Benchmark
) -> Touch | None:
    if any(one.touch for one in session.trials if one.benchmark == benchmark.name):
        return None
    return touched_by(changes, sitting, session.side, benchmark)


def touched_by(changes: Changes, sitting: RunContext, side: Side, benchmark: Benchmark) -> Touch:
    """Run a benchmark once more on a side, and count calls of the functions that differ.

    Raises:
        StopRequested: a signal came.
    """
    wanted = [name for name, how in changes.functions.items() if how != _ELSEWHERE[side]]
    if not wanted:
        return _touch(changes, {}, changes.unknown)
    try:
        calls, missing, operations = _counted(sitting, side, benchmark, wanted[:MOST_CHANGED])
    except (NoCounters, TrialFailed, OSError) as failure:
        return _touch(changes, {}, _joined(changes.unknown, f"calls were not counted: {failure}"))
    lacking = [f"{name}: {why}" for name, why in missing.items()]
    more = [f"{len(lacking) - _NAMED} more"] if len(lacking) > _NAMED else []
    lacking = [f"no probe in {'; '.join((*lacking[:_NAMED], *more))}"] if lacking else []
    if len(wanted) > MOST_CHANGED:
        lacking.append(f"only {MOST_CHANGED} of {len(wanted)} functions had a probe")
    ran = {
        name: Ran(calls=float(count), per_operation=count / operations)
        for name, count in sorted(calls.items(), key=lambda one: (-one[1], one[0]))
        if count
    }
    # What ran is known, whatever else could not be probed.
    return _touch(changes, ran, _joined(changes.unknown, *lacking))


def _counted(
    sitting: RunContext, side: Side, benchmark: Benchmark, functions: list[str]
) -> tuple[dict[str, int], dict[str, str], float]:
    with (
        activate_side(sitting.switch, sitting.sides[side]),
        trial_context(sitting, side, benchmark) as context,
        closing(CallCounts(functions)) as counts,
    ):
        work = sitting.harness.trial(context).work
        done = work.operations if work and work.operations > 0 else 1.0
        return counts.calls(), counts.missing, done


def _touch(changes: Changes, ran: dict[str, Ran], unknown: str) -> Touch:
    rest = (name for name in sorted(changes.functions) if name not in ran)
    told = [*ran, *rest][:MOST_CHANGED]
    return Touch(
        count=len(changes.functions),
        functions={name: changes.functions[name] for name in told},
        executed=len(ran),
        ran=ran,
        unknown=unknown,
        identical=changes.identical,
    )


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))
