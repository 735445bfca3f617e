"""Judging what was handed over: by the merge base where one is named, part by part, joined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate import __version__
from gate.clock import now
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.baseline.calibration_file import read_rounds
from gate.formats.profile.profile_file import load_profiles
from gate.formats.session.session_file import read_handover
from gate.judge.context.diagnosis import with_why
from gate.judge.judge import judge
from gate.judge.report_sections import join_reports
from gate.judge.sharding import commit_notes, gather_parts, refuse_other_commits, why_absent
from gate.judge.verdict.findings import absent_findings, added_findings, part_missing
from gate.judge.verdict.suite import arrange
from gate.pipeline.benchmark_filter import narrowed_sessions_note
from gate.pipeline.provenance import origin_of_judged
from gate.review.effective_profile import refuse_forgotten, refuse_unjudged
from gate.review.merge_base import open_merge_base
from gate.review.policy_reader import make_policy

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
    with open_merge_base(
        asked.merge_base,
        asked.proposed,
        profiles=asked.profiles or Path("profiles"),
        baseline=asked.baseline,
        size=asked.size,
    ) as known:
        reviewed = _reviewed(asked, known, parts)
        baselines = read_baselines(known.baseline)
        _refuse_what_cannot_be_judged(known, parts, baselines)
        absent = _not_measured(asked, known, parts)
        policy = make_policy(asked.alpha / parts.shards, asked.beta, asked.allow, known.baseline)
        suites = [
            arrange(kept, baselines, reviewed)
            for sessions in parts.sessions
            if (kept := _with_head(sessions, known, parts))
        ]
        report = _judged(suites, policy, known, parts, absent)
        origin = origin_of_judged(
            parts.every,
            baselines,
            reviewed,
            profiles=asked.profiles or Path("profiles"),
            baseline=asked.baseline,
            merge_base=known.commit,
            proposed=known.proposed,
        )
        causes = [why for handover in handovers for why in handover.why]
        return with_why(replace(report, origin=origin), causes)


def _refuse_what_cannot_be_judged(
    known: MergeBase, parts: Parts, baselines: Sequence[Baseline]
) -> None:
    """Profiles without a reviewed tolerance, forgotten baselines, sessions of another commit.

    Raises:
        InputError: G211, G243.
    """
    if known.commit:
        refuse_unjudged({one.profile for one in parts.every}, known, baselines)
        refuse_forgotten((), known, baselines)
    if known.proposed:
        refuse_other_commits(parts.every, known.proposed, known.commit, known.profiles)


def _not_measured(asked: JudgeRequest, known: MergeBase, parts: Parts) -> tuple[Finding, ...]:
    """What had to be measured and was not; with all profiles asked for, also what nobody did."""
    absent = _absent(_demanded(known, asked.only), parts)
    return absent if asked.only else (*absent, *added_findings(_added(known, parts)))


def _judged(
    suites: Sequence[tuple[Case, ...]],
    policy: Policy,
    known: MergeBase,
    parts: Parts,
    absent: tuple[Finding, ...],
) -> Report:
    """Each part by its share of alpha; what was not measured is told with the first."""
    if not suites and not absent:
        suites = [arrange((), (), {})]  # says that there is nothing
    rounds = read_rounds(known.baseline)
    reports = [
        judge(
            cases,
            policy,
            created=now(),
            version=__version__,
            rounds=rounds,
            absent=absent if number == 0 else (),
            edits=known.edits if number == 0 else (),
        )
        for number, cases in enumerate(suites or [()])
    ]
    joined = join_reports(reports)
    first = parts.lacks, narrowed_sessions_note(parts.every)
    unknown = commit_notes(parts.every) if known.proposed else ()
    return replace(
        joined,
        notes=(
            *filter(None, first),
            *joined.notes,
            *unknown,
        ),
        changes=known.changes,
    )


def _reviewed(asked: JudgeRequest, known: MergeBase, parts: Parts) -> Mapping[str, Profile]:
    """The profiles in force, by name; a session's own word is taken for the others."""
    if known.commit:
        return known.profiles
    if asked.profiles is None:
        return {}
    names = sorted({session.profile for session in parts.every})
    return {one.name: one for one in load_profiles(names, asked.profiles, asked.size)}


def _demanded(known: MergeBase, only: Sequence[str]) -> tuple[Profile, ...]:
    """The profiles that had to be measured.

    Raises:
        InputError: G211, the merge base has no such profile.
    """
    for name in only:
        if name not in known.profiles:
            raise InputError(
                "G211",
                f"the merge base has no profile {name[:80]!r}.",
                cure="Name profiles that are there already; what is new is judged as new.",
            )
    return tuple(one for name, one in sorted(known.profiles.items()) if not only or name in only)


def _added(known: MergeBase, parts: Parts) -> tuple[str, ...]:
    """Profiles that the change adds and nobody measured; one that cannot be read is an edit."""
    return tuple(sorted(known.terms.profiles.keys() - known.profiles.keys() - parts.measured))


def _absent(demanded: Sequence[Profile], parts: Parts) -> tuple[Finding, ...]:
    """What had to be measured and was not, or else that a part of the check is lacking."""
    gone = [one for one in demanded if one.name not in parts.measured]
    found = absent_findings(gone, why=why_absent(parts, [one.name for one in gone]))
    if found or not (parts.missing or parts.errors):
        return found
    return (part_missing("the whole check", parts.lacks),)


def _with_head(sessions: Sequence[Session], known: MergeBase, parts: Parts) -> tuple[Session, ...]:
    """Sessions that can be judged; what is left out here is told as absent."""
    return tuple(
        one
        for one in sessions
        if one.profile in parts.measured or one.profile not in known.profiles
    )
