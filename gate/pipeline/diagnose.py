"""After a verdict of `regressed`: extra runs that say what moved with it, and change nothing.

The report stands before the first of them is taken. Whatever goes wrong here, an interruption
included, ends in a note: no verdict, no exit status and no session that could be accepted is
touched.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
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
    from collections.abc import Iterator, Sequence

    from gate.judge.context.diagnosis import DiagnosisTarget
    from gate.measure.process.stop import Stop
    from gate.measure.run_context import RunContext
    from gate.model import Report, Session
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
    todo = targets(report, {one.name: one for one in plan.profiles})
    found: list[Why] = []
    note = ""
    try:
        for why in _Diagnosis(sessions, plan, ui, stop).causes(todo):
            found.append(why)  # noqa: PERF402 - what there is so far stays when the next fails
    except StopRequested:
        note = "the extra runs were interrupted"
    except (GateError, OSError) as error:
        note = f"extra runs were not possible: {error}"
    except Exception as error:  # noqa: BLE001 - a hint that fails must not take the verdict along
        note = f"extra runs failed: {type(error).__name__}: {str(error)[:300]}"
    finally:
        ui.done()
    found += _without_runs(todo, found, note)
    for one in found:
        for text in one.notes:
            ui.say(f"why: {one.benchmark}: {text}")
    return tuple(found)


def _without_runs(
    todo: Sequence[DiagnosisTarget], found: Sequence[Why], note: str
) -> Iterator[Why]:
    """The benchmarks that have no extra runs, with the reason."""
    done = {(one.profile, one.benchmark) for one in found}
    for profile, benchmark in todo:
        if note and (profile, benchmark) not in done:
            yield Why(profile=profile, benchmark=benchmark, per="second", notes=(note,))


@dataclass(frozen=True, slots=True)
class _Diagnosis:
    """The extra runs of one check."""

    sessions: Sequence[Session]
    plan: CheckPlan
    ui: ProgressDisplay
    stop: Stop

    def causes(self, todo: Sequence[DiagnosisTarget]) -> Iterator[Why]:
        """One benchmark after the other, alone on the host.

        Raises:
            StopRequested: a signal came.
            GateError: the host is busy now, or a side cannot be run any more.
        """
        if not todo:
            return
        until = time.monotonic() + MOST_SECONDS
        profiles = {one.name: one for one in self.plan.profiles}
        use = replace(self.plan.host, wait=min(self.plan.host.wait, _MOST_WAIT))
        with reserved_host(use, self.ui, self.stop) as host:
            for target in todo:
                yield self._causes_of(target, host.prepare(profiles[target.profile]), until)

    def _causes_of(self, target: DiagnosisTarget, run: RunContext, until: float) -> Why:
        """The extra runs of one benchmark, kept and ranked.

        Raises:
            StopRequested: a signal came.
            GateError: its storage cannot be used, or the runs cannot be kept.
        """
        own = [one for one in self.sessions if one.profile == target.profile]
        seconds = _longest_trial(own, target.benchmark)
        whole = show_duration((2 * ROUNDS + 2) * seconds)
        self.ui.say(
            f"why: {ROUNDS} more runs of each side of {target.benchmark}, and one or more under "
            f"perf, {whole} or so; no verdict uses them"
        )
        if run.storage is not None:
            run.storage.budget.before += sum(one.written for one in own)
        benchmarks = {one.name: one for one in run.profile.benchmarks}
        with open_run(run):
            extra = ExtraRunner(run, benchmarks[target.benchmark], seconds, until).take()
        write_extra_runs(self.plan.out / WHY, extra.runs, extra.folded)
        return why_of(extra.runs, extra.folded)


def _longest_trial(sessions: Sequence[Session], benchmark: str) -> float:
    """Seconds of the longest trial of a benchmark so far."""
    trials = (trial for one in sessions for trial in one.trials)
    return max((one.duration for one in trials if one.benchmark == benchmark), default=0.0)
