"""After a verdict of `regressed`: extra runs that say what moved with it, and change nothing.

The report stands before the first of them is taken. Whatever goes wrong here, an interruption
included, ends in a note: no verdict, no exit status and no session that could be accepted is
touched.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.errors import GateError
from gate.formats.session.session_file import write_extra_runs
from gate.judge.context.diagnosis import targets, why_of
from gate.measure.extra_runs import ROUNDS, ExtraRunner
from gate.measure.process.stop import StopRequested
from gate.measure.setup import open_run
from gate.model.diagnosis import Why
from gate.pipeline.host_reservation import reserved_host
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gate.measure.process.stop import Stop
    from gate.measure.setup import HostUse
    from gate.model import Profile, Report, Session
    from gate.pipeline.check_plan import CheckPlan
    from gate.pipeline.progress import ProgressDisplay

MOST_SECONDS = 300.0
"""In all; what does not fit is left out, and said."""
_MOST_WAIT = 60.0
"""Seconds to wait at most for another gate that took the host meanwhile: a hint holds nobody up."""
WHY = "why"
"""The directory of the extra runs in that of the check."""


def diagnose(
    report: Report, sessions: Sequence[Session], plan: CheckPlan, ui: ProgressDisplay, stop: Stop
) -> tuple[Why, ...]:
    """What moved with the worst regressions of a report; nothing where none was proven."""
    profiles = {one.name: one for one in plan.profiles}
    todo = targets(report, profiles)
    if not todo:
        return ()
    left = plan.countdown.left if plan.countdown else math.inf
    if left <= 0:
        ui.say("why: nothing of the time budget is left for extra runs")
        return ()
    until = time.monotonic() + min(MOST_SECONDS, left)
    claim = replace(plan.host, wait=min(plan.host.wait, _MOST_WAIT), shares=False)
    found: list[Why] = []
    note = ""
    try:
        with reserved_host(claim, ui, stop) as host:
            for name, benchmark in todo:
                own = [one for one in sessions if one.profile == name]
                found.append(_why(profiles[name], benchmark, host, own, plan.out / WHY, until))
    except StopRequested:
        note = "the extra runs were interrupted"
    except (GateError, OSError) as error:
        note = f"extra runs were not possible: {error}"
    except Exception as error:  # noqa: BLE001 - a hint that fails must not take the verdict along
        note = f"extra runs failed: {type(error).__name__}: {str(error)[:300]}"
    finally:
        ui.done()
    for name, benchmark in todo[len(found) :]:
        found.append(Why(profile=name, benchmark=benchmark, per="second", notes=(note,)))
    for one in found:
        for text in one.notes:
            ui.say(f"why: {one.benchmark}: {text}")
    return tuple(found)


def _why(
    profile: Profile,
    name: str,
    host: HostUse,
    sessions: Sequence[Session],
    directory: Path,
    until: float,
) -> Why:
    """The extra runs of one benchmark, kept and ranked."""
    run = host.prepare(profile)
    trials = (trial for one in sessions for trial in one.trials)
    seconds = max((one.duration for one in trials if one.benchmark == name), default=0.0)
    host.say(
        f"why: {ROUNDS} more runs of each side of {name}, and one or more under perf, "
        f"{show_duration((2 * ROUNDS + 2) * seconds)} or so; no verdict uses them"
    )
    if run.storage is not None:
        run.storage.budget.before += sum(one.written for one in sessions)
    benchmark = next(one for one in profile.benchmarks if one.name == name)
    with open_run(run):
        extra = ExtraRunner(run, benchmark, seconds, until).take()
    write_extra_runs(directory, extra.runs, extra.folded)
    return why_of(extra.runs, extra.folded)
