"""The whole program on one page: what `gate check` does, step by step."""

from __future__ import annotations

import shlex
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate import __version__
from gate.clock import now
from gate.errors import GateError, Interrupted
from gate.formats.baseline.calibration_file import read_rounds
from gate.judge.context.diagnosis import with_why
from gate.judge.verdict.suite import Policy
from gate.measure.countdown import Countdown
from gate.measure.process.stop import Stop, StopRequested
from gate.pipeline.check_outputs import CheckOutputs
from gate.pipeline.check_plan import CheckPlan, plan_check
from gate.pipeline.diagnose import diagnose
from gate.pipeline.host_reservation import HostClaim
from gate.pipeline.provenance import origin_of_check, words_of
from gate.pipeline.stages import measure_check
from gate.pipeline.subprocess_call import call_in_subprocess
from gate.review.inputs_in_force import InputsInForce
from gate.review.lineage import accepted_notes
from gate.review.merge_base import open_merge_base
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from gate.judge.verdict.suite import Case
    from gate.model import Edit, Profile, Report, Round, Session
    from gate.pipeline.progress import ProgressDisplay
    from gate.pipeline.request import CheckRequest, HostOptions
    from gate.review.merge_base import MergeBase


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """How a comparison is judged, and what it may use of the machine."""

    host: HostOptions
    alpha: float = 0.01
    beta: float = 0.025
    within: float | None = None
    """Seconds that all of it may take; None for as long as it needs."""


def run_check(request: CheckRequest, ui: ProgressDisplay) -> Report:
    """Measure, judge, and leave a handover and a report, whatever happens.

    Raises:
        Interrupted: a signal came; what was measured is kept.
        GateError: anything that keeps the gate from a verdict.
    """
    within = request.selection.within
    countdown = Countdown(within) if within else None
    with (
        Stop().listening() as stop,
        CheckOutputs(request).closing_on_error() as out,
        _resumable(request),
        _policy_at_merge_base(request) as base,
    ):
        out.edits, out.changes = base.edits, base.changes
        plan = plan_check(request, base, countdown)
        inputs = InputsInForce(base, request.place, ui.say)
        plan = replace(plan, host=replace(plan.host, trees=inputs.of))
        out.profiles = tuple(profile.name for profile in plan.profiles)
        stop.check()
        sessions = measure_check(plan, ui, stop)
        out.write_sessions(sessions)
        report = judge_check(sessions, plan, base, request, stop)
        stop.check()
        call_in_subprocess(Stop(), out.write_report, report)  # no signal cuts it short
        causes = diagnose(report, sessions, plan, ui, stop) if request.output.why else ()
        if causes:
            report = with_why(report, causes)
            with suppress(GateError):  # what stands there already says the same verdict
                out.write_sessions(sessions, why=causes)
                call_in_subprocess(Stop(), out.write_report, report)
        return report


def _policy_at_merge_base(request: CheckRequest) -> AbstractContextManager[MergeBase]:
    """Tolerances, baselines and waivers that the change cannot set."""
    chosen, policy = request.selection, request.policy
    return open_merge_base(
        policy.merge_base,
        profiles=chosen.profiles,
        baseline=policy.baseline,
        size=chosen.size,
        accepted=policy.accepted,
    )


def judge_check(
    sessions: Sequence[Session],
    plan: CheckPlan,
    base: MergeBase,
    request: CheckRequest,
    stop: Stop,
) -> Report:
    """The report on what was measured, and on profiles that the change removes."""
    cases, rounds = plan.cases(sessions) if sessions else (), read_rounds(base.baseline)
    report = call_in_subprocess(
        stop,
        _judged,
        cases,
        plan.policy,
        gone=plan.gone,
        rounds=rounds,
        edits=base.edits,
        unapproved=request.policy.unapproved,
    )
    part = request.shard
    whole = [f"part {part.number} of {part.of}; the whole is judged of all"] if part.of > 1 else []
    return replace(
        report,
        notes=(*whole, *accepted_notes(base, ()), *plan.notes, *report.notes),
        changes=base.changes,
        origin=origin_of_check(
            request,
            sessions,
            plan.baselines,
            merge_base=base.commit,
            restarts=any(one.subject.metal for one in plan.profiles),
        ),
    )


def run_comparison(
    profile: Profile, options: ComparisonOptions, ui: ProgressDisplay
) -> tuple[Report, tuple[Session, ...]]:
    """Base against head of one profile, here and now: no baseline, and nothing left behind.

    Raises:
        Interrupted: a signal came.
        GateError: anything that keeps the gate from a verdict.
    """
    countdown = Countdown(options.within) if options.within else None
    with (
        Stop().listening() as stop,
        scratch_directory("compare") as place,
    ):
        plan = CheckPlan(
            profiles=(profile,),
            baselines=(),
            policy=Policy(alpha=options.alpha, beta=options.beta, levels=False),
            out=Path(place),
            host=HostClaim(
                store=None,
                work=options.host.work or Path(place) / "work",
                host_class=options.host.host_class,
                wait=options.host.wait,
            ),
            countdown=countdown,
        )
        try:
            sessions = measure_check(plan, ui, stop)
            report = call_in_subprocess(stop, _judged, plan.cases(sessions), plan.policy)
        except StopRequested as signal:
            cure = "Run the same command again."
            raise Interrupted(signal.number, "interrupted.", cure=cure) from None
    return report, sessions


def _judged(
    cases: Sequence[Case],
    policy: Policy,
    *,
    gone: Sequence[Profile] = (),
    rounds: Sequence[Round] = (),
    edits: tuple[Edit, ...] = (),
    unapproved: bool = False,
) -> Report:
    """Judge; runs in a process of its own."""
    from gate.judge.judge import judge  # noqa: PLC0415 - all of judging
    from gate.judge.verdict.findings import (  # noqa: PLC0415 - likewise
        absent_findings,
        unapproved_findings,
    )

    held = unapproved_findings(edits) if unapproved else ()
    absent = absent_findings(gone, why={one.name: "the change removes the profile" for one in gone})

    return judge(
        cases,
        policy,
        created=now(),
        version=__version__,
        rounds=rounds,
        absent=(*absent, *held),
        edits=edits,
    )


@contextmanager
def _resumable(request: CheckRequest) -> Iterator[None]:
    """A signal ends the check with the command that goes on with it."""
    try:
        yield
    except StopRequested as signal:
        raise Interrupted(
            signal.number,
            f"interrupted; what was measured is kept in {request.place}.",
            cure="Continue with the same options and: "
            + shlex.join(["gate", "check", *words_of(request), "--resume"]),
        ) from None
