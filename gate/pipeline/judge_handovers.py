"""Judging what was handed over: by the merge base where one is named, part by part, joined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate import __version__
from gate.clock import now
from gate.errors import InputError
from gate.formats.baseline.calibration_file import read_rounds
from gate.formats.profile.profile_file import load_profiles
from gate.formats.session.session_file import read_handover
from gate.judge.context.diagnosis import with_why
from gate.judge.judge import judge
from gate.judge.report_sections import join_reports
from gate.judge.sharding import commit_notes, gather_parts, refuse_other_commits, why_absent
from gate.judge.verdict.findings import (
    absent_findings,
    added_findings,
    part_missing,
    unapproved_findings,
)
from gate.judge.verdict.suite import arrange
from gate.pipeline.benchmark_filter import narrowed_sessions_note
from gate.pipeline.provenance import origin_of_judged
from gate.review.effective_profile import refuse_forgotten, refuse_unjudged
from gate.review.lineage import accepted_here, accepted_notes, earned, measured_commit
from gate.review.merge_base import open_merge_base
from gate.review.policy_reader import make_policy, not_before

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.sharding import Parts
    from gate.judge.verdict.suite import Case, Policy
    from gate.model import Baseline, Finding, Profile, Report, Session
    from gate.review.merge_base import MergeBase


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """What the command line asks for."""

    sessions: tuple[Path, ...]
    profiles: Path | None
    baseline: Path
    size: str
    merge_base: str | None
    proposed: str | None
    measured: str | None
    accepted: tuple[str, ...]
    workflows_approved: bool
    shards: int | None
    only: tuple[str, ...]
    """Profiles that had to be measured; empty for all of the merge base."""
    alpha: float
    beta: float
    allow: tuple[str, ...]


def judge_sessions(asked: JudgeRequest) -> Report:
    """The report on all sessions handed over, and on what should have been and was not.

    Raises:
        GateError: a file is wrong, parts do not fit together, there is no merge base, or there
            is nothing to judge.
    """
    handovers = [read_handover(path) for path in dict.fromkeys(asked.sessions)]
    parts = gather_parts(handovers, asked.shards)
    folder = asked.profiles or Path("profiles")
    with open_merge_base(
        asked.merge_base,
        asked.proposed,
        profiles=folder,
        baseline=asked.baseline,
        size=asked.size,
        accepted=asked.accepted,
    ) as known:
        reviewed = _reviewed(asked, known, parts)
        measured = measured_commit(asked.measured, known)
        baselines = accepted_here(earned(known), parts.every, known, measured)
        _refuse_what_cannot_be_judged(known, parts, baselines, measured)
        absent = _not_measured(asked, known, parts)
        policy = make_policy(asked.alpha / parts.shards, asked.beta, asked.allow, known.baseline)
        policy = not_before(policy, baselines, known.commits)
        suites = [
            arrange(kept, baselines, reviewed)
            for sessions in parts.sessions
            if (kept := _judgeable(sessions, known, parts))
        ]
        approved = asked.workflows_approved or not known.proposed
        report = _judged(suites, policy, known, parts, absent, approved=approved)
        origin = origin_of_judged(
            parts.every,
            baselines,
            reviewed,
            profiles=folder,
            baseline=asked.baseline,
            merge_base=known.commit,
            proposed=known.proposed,
        )
        causes = [why for handover in handovers for why in handover.why]
        return with_why(replace(report, origin=origin), causes)


def _reviewed(asked: JudgeRequest, known: MergeBase, parts: Parts) -> Mapping[str, Profile]:
    """The profiles in force, by name; a session's own word is taken for the others."""
    if known.commit:
        return known.profiles
    if asked.profiles is None:
        return {}
    names = sorted({session.profile for session in parts.every})
    return {one.name: one for one in load_profiles(names, asked.profiles, asked.size)}


def _refuse_what_cannot_be_judged(
    known: MergeBase, parts: Parts, baselines: Sequence[Baseline], measured: str
) -> None:
    """Profiles without a reviewed tolerance, forgotten baselines, sessions of another commit."""
    if known.commit:
        refuse_unjudged({one.profile for one in parts.every}, known, baselines)
        refuse_forgotten((), known, baselines)
    if known.proposed:
        refuse_other_commits(parts.every, measured, known.commit, known.profiles)


def _not_measured(asked: JudgeRequest, known: MergeBase, parts: Parts) -> tuple[Finding, ...]:
    """What had to be measured and was not, or else that a part of the check is lacking.

    With all profiles asked for, also what the change adds and nobody measured.
    """
    for name in asked.only:
        if name not in known.profiles:
            raise InputError(
                "G211",
                f"the merge base has no profile {name[:80]!r}.",
                cure="Name profiles that are there already; what is new is judged as new.",
            )
    names = sorted({*(asked.only or known.profiles)} - parts.measured)
    gone = [known.profiles[name] for name in names]
    found = absent_findings(gone, why=why_absent(parts, names))
    if not found and (parts.missing or parts.errors):
        found = (part_missing("the whole check", parts.lacks),)
    if asked.only:
        return found
    # One that cannot be read is an edit.
    added = known.terms.profiles.keys() - known.profiles.keys() - parts.measured
    return (*found, *added_findings(sorted(added)))


def _judgeable(sessions: Sequence[Session], known: MergeBase, parts: Parts) -> tuple[Session, ...]:
    """Sessions that can be judged; what is left out here is told as absent."""
    return tuple(
        one
        for one in sessions
        if one.profile in parts.measured or one.profile not in known.profiles
    )


def _judged(
    suites: Sequence[tuple[Case, ...]],
    policy: Policy,
    known: MergeBase,
    parts: Parts,
    absent: tuple[Finding, ...],
    *,
    approved: bool,
) -> Report:
    """Each part by its share of alpha; what was not measured is told with the first.

    So are edits of workflows that nobody `approved`.
    """
    if not suites and not absent:
        arrange((), (), {})  # says that there is nothing
    held = () if approved else unapproved_findings(known.edits)
    rounds = read_rounds(known.baseline)
    judge_part = partial(judge, policy=policy, created=now(), version=__version__, rounds=rounds)
    first, *others = suites or [()]
    reports = [
        judge_part(first, absent=(*absent, *held), edits=known.edits),
        *map(judge_part, others),
    ]
    joined = join_reports(reports)
    unknown = commit_notes(parts.every) if known.proposed else ()
    accepted = accepted_notes(known, (case.baseline for suite in suites for case in suite))
    notes = (*accepted, parts.lacks, narrowed_sessions_note(parts.every), *joined.notes, *unknown)
    return replace(joined, notes=tuple(filter(None, notes)), changes=known.changes)
