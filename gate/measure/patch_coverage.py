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
from gate.measure.trial import trial_context
from gate.model import MOST_CHANGED, Ran, Side, Touch

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Changes, Session

_ELSEWHERE = {Side.BASE: "added", Side.HEAD: "removed"}
"""What a side cannot call, as it has no such function."""
_NAMED = 3


def make_patch_coverage(
    changes: Changes | None,
) -> Callable[[RunContext, Session, Benchmark], Touch | None] | None:
    """What looks after a session's first good trial; None where nothing is known to compare."""
    return partial(_cover_once, changes) if changes is not None else None


def _cover_once(
    changes: Changes, run: RunContext, session: Session, benchmark: Benchmark
) -> Touch | None:
    if any(one.touch for one in session.trials if one.benchmark == benchmark.name):
        return None
    return measure_patch_coverage(changes, run, session.side, benchmark)


def measure_patch_coverage(
    changes: Changes, run: RunContext, side: Side, benchmark: Benchmark
) -> Touch:
    """Run a benchmark once more on a side, and count calls of the functions that differ."""
    wanted = [name for name, how in changes.functions.items() if how != _ELSEWHERE[side]]
    if not wanted:
        return _coverage(changes, {}, changes.unknown)
    try:
        calls, missing, operations = _count_calls(run, side, benchmark, wanted[:MOST_CHANGED])
    except (NoCounters, TrialFailed, OSError) as failure:
        return _coverage(changes, {}, _join(changes.unknown, f"calls were not counted: {failure}"))
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
    return _coverage(changes, ran, _join(changes.unknown, *lacking))


def _count_calls(
    run: RunContext, side: Side, benchmark: Benchmark, functions: list[str]
) -> tuple[dict[str, int], dict[str, str], float]:
    with (
        activate_side(run.switch, run.sides[side]),
        trial_context(run, side, benchmark) as context,
        closing(CallCounts(functions)) as counts,
    ):
        work = run.harness.trial(context).work
        done = work.operations if work and work.operations > 0 else 1.0
        return counts.calls(), counts.missing, done


def _coverage(changes: Changes, ran: dict[str, Ran], unknown: str) -> Touch:
    rest = (name for name in sorted(changes.functions) if name not in ran)
    names = [*ran, *rest][:MOST_CHANGED]
    return Touch(
        count=len(changes.functions),
        functions={name: changes.functions[name] for name in names},
        executed=len(ran),
        ran=ran,
        unknown=unknown,
        identical=changes.identical,
    )


def _join(*parts: str) -> str:
    return "; ".join(filter(None, parts))
