"""After a verdict of `regressed`: extra runs that say what moved with it, and change nothing.

The report stands before the first of them is taken. Whatever goes wrong here, an interruption
included, ends in a note: no verdict, no exit status and no session that could be accepted is
touched.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from gate.errors import GateError
from gate.formats.session.session_file import write_extra_runs
from gate.host.lock import exclusive
from gate.judge.context.diagnosis import targets, why_of
from gate.measure.extra_runs import ROUNDS, take_extra_runs
from gate.measure.process.stop import StopRequested
from gate.measure.setup import HostUse, open_run, prepare_run
from gate.model.diagnosis import Why
from gate.pipeline.host_reservation import HostPlace, reserved_host, work_directory
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.context.diagnosis import DiagnosisTarget
    from gate.measure.process.stop import Stop
    from gate.measure.run_context import RunContext
    from gate.model import Profile, Report, Session
    from gate.pipeline.flow import Plan
    from gate.pipeline.progress import Teller

MOST_SECONDS = 300.0
"""In all; what does not fit is left out, and said."""
_MOST_WAIT = 60.0
"""Seconds to wait at most for another gate that took the host meanwhile: a hint holds nobody up."""
WHY = "why"
"""The directory of the extra runs in that of the check."""


def look_why(
    report: Report, sessions: Sequence[Session], plan: Plan, teller: Teller, stop: Stop
) -> tuple[Why, ...]:
    """What moved with the worst regressions of a report; nothing where none was proven."""
    profiles = {one.name: one for one in plan.profiles}
    found: list[Why] = []
    wanted = targets(report, profiles)
    try:
        for why in _taken(wanted, profiles, sessions, plan, teller, stop):
            found.append(why)  # noqa: PERF402 - what there is so far stays when the next fails
    except StopRequested:
        found += _left(wanted, found, "the extra runs were interrupted")
    except (GateError, OSError) as error:
        found += _left(wanted, found, f"extra runs were not possible: {error}")
    except Exception as error:  # noqa: BLE001 - a hint that fails must not take the verdict along
        said = f"extra runs failed: {type(error).__name__}: {str(error)[:300]}"
        found += _left(wanted, found, said)
    finally:
        teller.done()
    for one in found:
        for note in one.notes:
            teller.say(f"why: {one.benchmark}: {note}")
    return tuple(found)


def _left(wanted: Sequence[DiagnosisTarget], found: Sequence[Why], note: str) -> Iterator[Why]:
    """What is told of the benchmarks that were not come to."""
    told = {(one.profile, one.benchmark) for one in found}
    for profile, benchmark in wanted:
        if (profile, benchmark) not in told:
            yield Why(profile=profile, benchmark=benchmark, per="second", notes=(note,))


def _taken(
    wanted: Sequence[DiagnosisTarget],
    profiles: dict[str, Profile],
    sessions: Sequence[Session],
    plan: Plan,
    teller: Teller,
    stop: Stop,
) -> Iterator[Why]:
    """One benchmark after the other, alone on the host.

    Raises:
        StopRequested: a signal came.
        GateError: the host is busy now, or a side cannot be run any more.
    """
    if not wanted:
        return
    until = time.monotonic() + MOST_SECONDS
    with ExitStack() as stack:
        wait = min(plan.wait, _MOST_WAIT)
        alone = exclusive(wait=wait, tell=teller.say, pause=stop.sleep)
        place = HostPlace(store=plan.store, work=plan.work, host_class=plan.host_class)
        ground = stack.enter_context(reserved_host(alone, teller.say, place))
        work = stack.enter_context(work_directory(plan.work))
        use = HostUse(
            work=work,
            host_class=plan.host_class,
            stop=stop,
            tell=teller,
            say=teller.say,
            store=plan.store,
            tuned=ground.tuned,
        )
        for target in wanted:
            sitting = prepare_run(profiles[target.profile], use)
            own = [one for one in sessions if one.profile == target.profile]
            yield _of(sitting, target, own, plan, teller, until)


def _of(
    sitting: RunContext,
    target: DiagnosisTarget,
    sessions: Sequence[Session],
    plan: Plan,
    teller: Teller,
    until: float,
) -> Why:
    """The extra runs of one benchmark, kept and ranked.

    Raises:
        StopRequested: a signal came.
        GateError: its storage cannot be used, or the runs cannot be kept.
    """
    seconds = _usual(sessions, target.benchmark)
    whole = show_duration((2 * ROUNDS + 2) * seconds)
    teller.say(
        f"why: {ROUNDS} more runs of each side of {target.benchmark}, and one or more under perf, "
        f"{whole} or so; no verdict uses them"
    )
    if sitting.storage is not None:
        sitting.storage.budget.before += sum(one.written for one in sessions)
    named = {one.name: one for one in sitting.profile.benchmarks}
    with open_run(sitting):
        extra = take_extra_runs(sitting, named[target.benchmark], seconds, until)
    write_extra_runs(plan.out / WHY, extra.runs, extra.folded)
    return why_of(extra.runs, extra.folded)


def _usual(sessions: Sequence[Session], benchmark: str) -> float:
    """Seconds of the longest trial of a benchmark so far."""
    trials = (trial for one in sessions for trial in one.trials)
    return max((one.duration for one in trials if one.benchmark == benchmark), default=0.0)
