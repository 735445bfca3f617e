"""A whole check: what is measured, what is judged by, and the files that it leaves."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate import __version__
from gate.clock import now
from gate.errors import GateError, Interrupted
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.baseline.calibration_file import read_rounds
from gate.judge.context.diagnosis import with_why
from gate.measure.process.stop import Stop, StopRequested
from gate.pipeline.benchmark_filter import (
    narrow_profiles,
    narrowed_baselines,
    narrowed_waivers,
    narrowing_note,
    pairs_note,
    with_pairs,
)
from gate.pipeline.check_outputs import CheckOutputs
from gate.pipeline.diagnose import look_why
from gate.pipeline.flow import CheckRun, Plan, cases_of
from gate.pipeline.provenance import origin_of_check, words_of
from gate.pipeline.shards import Shard, durations, parts_of
from gate.pipeline.side_options import SideOptions, with_sides
from gate.review.effective_profile import (
    as_reviewed,
    profiles_of,
    refuse_forgotten,
    refuse_unjudged,
)
from gate.review.merge_base import open_merge_base
from gate.review.policy_reader import make_policy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gate.model import Profile, Report, Session
    from gate.pipeline.progress import Teller
    from gate.review.merge_base import MergeBase


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What the command line asks for."""

    names: tuple[str, ...]
    """Profiles; empty for all."""
    profiles: Path
    baseline: Path
    size: str
    benchmarks: tuple[str, ...]
    """The only ones wanted; empty for all."""
    pairs: int | None
    """Most pairs; None for the profile's limit."""
    sides: SideOptions
    host_class: str | None
    merge_base: str | None
    shard: Shard
    place: Path
    """The output directory."""
    named: bool
    """Whether somebody named it."""
    work: Path | None
    wait: float
    alpha: float
    """Of the whole check; a part of it spends its share."""
    beta: float
    allow: tuple[str, ...]
    why: bool = True
    """Whether what regressed is run some more, to see what moved with it."""
    restart: bool = False
    """Whether the machine may be restarted for a trial that needs another kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSuite:
    """What there is to measure and to judge by."""

    plan: Plan
    gone: tuple[Profile, ...]
    """Profiles of the merge base that this check is about, and the tree has not any more."""
    notes: tuple[str, ...] = ()
    """What was left out or set otherwise than the profiles say."""


def check(wanted: CheckRequest, teller: Teller) -> Report:
    """Measure, judge, and leave a handover and a report, whatever happens.

    Raises:
        Interrupted: a signal came; what was measured is kept.
        GateError: anything that keeps the gate from a verdict.
    """
    with Stop().listening() as stop:
        ending = CheckOutputs(wanted.place, wanted.shard, named=wanted.named)
        with ending.told():
            try:
                return _checked(wanted, teller, stop, ending)
            except StopRequested as request:
                raise _interrupted(request, wanted) from None


def _checked(wanted: CheckRequest, teller: Teller, stop: Stop, ending: CheckOutputs) -> Report:
    with open_merge_base(
        wanted.merge_base,
        None,
        profiles=wanted.profiles,
        baseline=wanted.baseline,
        size=wanted.size,
    ) as known:
        ending.edits, ending.changes = known.edits, known.changes
        suite = suite_of(wanted, known)
        ending.profiles = tuple(profile.name for profile in suite.plan.profiles)
        stop.check()
        sessions = CheckRun(suite.plan, teller, stop).measure() if suite.plan.profiles else ()
        ending.hand_over(sessions)
        report = _judged(sessions, suite, known)
        report = replace(
            report,
            notes=(*suite.notes, *report.notes),
            changes=known.changes,
            origin=origin_of_check(wanted, suite.plan, sessions, known.commit),
        )
        if wanted.shard.of > 1:
            told = f"part {wanted.shard.number} of {wanted.shard.of}; the whole is judged of all"
            report = replace(report, notes=(told, *report.notes))
        stop.check()
        from gate.pipeline.report_files import write_report  # noqa: PLC0415 - jinja, after measuring

        write_report(report, wanted.place)
        found = look_why(report, sessions, suite.plan, teller, stop) if wanted.why else ()
        if found:
            report = with_why(report, found)
            with suppress(GateError):  # what stands there already says the same verdict
                ending.hand_over(sessions, why=found)
                write_report(report, wanted.place)
        return report


def _judged(sessions: Sequence[Session], suite: CheckSuite, known: MergeBase) -> Report:
    from gate.judge.judge import judge  # noqa: PLC0415 - scipy, after measuring
    from gate.judge.verdict.absent import absent_findings  # noqa: PLC0415 - with what judges

    why = {one.name: "the change removes the profile" for one in suite.gone}
    return judge(
        cases_of(sessions, suite.plan) if sessions else (),
        suite.plan.policy,
        created=now(),
        version=__version__,
        rounds=read_rounds(known.baseline),
        absent=absent_findings(suite.gone, why=why),
        edits=known.edits,
    )


def suite_of(wanted: CheckRequest, known: MergeBase) -> CheckSuite:
    """What to measure, and what to judge by: the merge base's, where it has the profile.

    Raises:
        InputError: a profile, baseline or waiver is wrong, or there are too many parts.
        NothingCompared: there is no profile.
    """
    baselines = read_baselines(known.baseline)
    read_rounds(known.baseline)  # a wrong file is found out before anything is measured
    there, lost = profiles_of(wanted.names, wanted.profiles, wanted.size, known)
    every = [
        with_sides(as_reviewed(one, known.profiles.get(one.name)), wanted.sides) for one in there
    ]
    here = {one.name for one in every}
    if known.commit:
        refuse_unjudged(here, known, baselines)
    if not wanted.names and not wanted.benchmarks:
        refuse_forgotten(here, known, baselines)
        if wanted.shard.of > 1:
            works = durations((*here, *lost), baselines, wanted.host_class)
            mine = parts_of(works, wanted.shard.of)[wanted.shard.number - 1]
            every = [one for one in every if one.name in mine]
            lost = tuple(name for name in lost if name in mine)
    chosen = narrow_profiles(every, wanted.benchmarks, named=bool(wanted.names))
    others = len(every) - len(chosen)
    notes = (narrowing_note(chosen, others=others), pairs_note(chosen, wanted.pairs))
    policy = make_policy(wanted.alpha / wanted.shard.of, wanted.beta, wanted.allow, known.baseline)
    plan = Plan(
        profiles=with_pairs(chosen, wanted.pairs),
        reviewed={
            one.name: known.profiles[one.name] for one in every if one.name in known.profiles
        },
        baselines=narrowed_baselines(baselines, chosen),
        policy=replace(policy, waivers=narrowed_waivers(policy.waivers, chosen)),
        out=wanted.place,
        work=wanted.work or wanted.place / "work",
        host_class=wanted.host_class,
        store=known.baseline,
        wait=wanted.wait,
    )
    return CheckSuite(
        plan=plan,
        gone=tuple(known.profiles[name] for name in lost),
        notes=tuple(filter(None, notes)),
    )


def _interrupted(request: StopRequested, wanted: CheckRequest) -> Interrupted:
    return Interrupted(
        request.number,
        f"interrupted; what was measured is kept in {wanted.place}.",
        cure="Continue with the same options and: "
        + shlex.join(["gate", "check", *words_of(wanted), "--resume"]),
    )
