"""Whether a trial's work calls what the change changed: one extra run of each side, not measured.

The functions that differ are known from the machine code of both sides; in the extra run each has
a probe that counts its calls. It comes after the first trial of a benchmark, never in it.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.linux.perf_event import CallCounts, NoCounters
from gate.measure.activation import activate_side
from gate.measure.run_context import trial_context
from gate.model import MOST_CHANGED, Ran, Side

if TYPE_CHECKING:
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Changes, Touch

_ELSEWHERE = {Side.BASE: "added", Side.HEAD: "removed"}
"""What a side cannot call, as it has no such function."""
_NAMED = 3


def measure_patch_coverage(
    changes: Changes, run: RunContext, side: Side, benchmark: Benchmark
) -> Touch:
    """Run a benchmark once more on a side, and count calls of the functions that differ."""
    wanted = [name for name, how in changes.functions.items() if how != _ELSEWHERE[side]]
    unknown, ran = [changes.unknown], dict[str, Ran]()
    try:
        counts = _count_calls(run, side, benchmark, wanted[:MOST_CHANGED]) if wanted else None
    except (NoCounters, TrialFailed, OSError) as failure:
        unknown.append(f"calls were not counted: {failure}")
    else:
        calls, missing, operations = counts or ({}, {}, 1.0)
        # What ran is known, whatever else could not be probed.
        ran = {
            name: Ran(calls=float(count), per_operation=count / operations)
            for name, count in sorted(calls.items(), key=lambda one: (-one[1], one[0]))
            if count
        }
        lacking = [f"{name}: {why}" for name, why in missing.items()]
        if len(lacking) > _NAMED:
            lacking[_NAMED:] = [f"{len(lacking) - _NAMED} more"]
        if lacking:
            unknown.append(f"no probe in {'; '.join(lacking)}")
        if len(wanted) > MOST_CHANGED:
            unknown.append(f"only {MOST_CHANGED} of {len(wanted)} functions had a probe")
    return changes.touch(ran, "; ".join(filter(None, unknown)))


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
