"""Which sessions of the default branch may enter its baseline, and why the others may not.

A baseline that grew by itself could follow a slow slide. So nothing enters but what the gate passed
against the level that people accepted; the anchor of each epoch stays; a person accepts the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.errors import CannotJudge
from gate.formats.baseline.baseline_file import read_baselines
from gate.judge.acceptable import why_not
from gate.model import Role, Side, Verdict
from gate.pipeline.accept.handover_intake import passed_profiles
from gate.publish.github.git_data import contains
from gate.stats.costs import LEAST_SESSIONS
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gate.model import Baseline, Profile, Report, Session
    from gate.publish.github.api import Api
    from gate.publish.propose import ProposalResult

GOOD_BASELINE = 10
"""Sessions that make a good baseline; below it, one a day and boot, from then on one a day."""
_REFUSED = 6
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthOptions:
    """What to add, and how."""

    mode: str
    branch: str
    first: bool
    reason: str | None
    by: str
    profiles: Path
    size: str
    baseline: Path
    run_url: str = ""


@dataclass(kw_only=True)
class BaselineGrowth:
    """What was added, what was left out and why."""

    status: int = 0
    done: ProposalResult | None = None
    changes: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Profile -> why."""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchState:
    """The branch as it stands, and where the baselines to be added to are."""

    api: Api
    tip: str
    below: str
    """The baseline directory, as the repository names it."""


def too_young(sessions: Sequence[Session], how: GrowthOptions) -> frozenset[str]:
    """With --first, the profiles that have no baseline on their host, or one too small to judge by.

    A profile measured on several host classes at once has to have none on any.
    """
    if not how.first:
        return frozenset()
    held = {(b.host_class, b.profile): len(b.sessions) for b in read_baselines(how.baseline)}
    full = {
        one.profile
        for one in sessions
        if held.get((one.host.host_class, one.profile), 0) >= LEAST_SESSIONS
    }
    return frozenset(one.profile for one in sessions) - full


def _session_count(baseline: Baseline) -> int:
    """Sessions in the current epoch of every series; 0 where there is no series."""
    return min((len(series.current) for series in baseline.series), default=0)


def fit_sessions(sessions: Sequence[Session], growth: BaselineGrowth) -> list[Session]:
    """Sessions for a first baseline: whole, undisturbed, of the head side."""
    fit: list[Session] = []
    for one in sessions:
        why = "it is not of the head side" if one.side is not Side.HEAD else why_not(one)
        if why is None:
            fit.append(one)
        else:
            growth.left_out[f"{one.profile}, session {one.id}"] = why
    if {one.profile for one in sessions} - {one.profile for one in fit}:
        growth.status = CannotJudge.status
    return fit


def passed_sessions(
    report: Report, found: Mapping[str, Session], growth: BaselineGrowth
) -> list[Session]:
    """The sessions of the profiles that passed in every gate metric; the others are left out."""
    fine = passed_profiles(report)
    for name in sorted(found.keys() - fine):
        verdicts = {
            str(one.verdict)
            for one in report.findings
            if one.profile == name and one.role is Role.GATE and one.verdict is not Verdict.PASSED
        }
        growth.left_out[name] = f"{', '.join(sorted(verdicts)) or 'nothing was judged'}"
    return [found[name] for name in sorted(found.keys() & fine)]


def of_known_profile(
    sessions: Sequence[Session],
    profiles: Mapping[str, Profile],
    how: GrowthOptions,
    growth: BaselineGrowth,
) -> list[Session]:
    """The sessions that were measured by the text of a profile that the branch has."""
    strangers: set[str] = set()
    for one in sessions:
        mine = profiles.get(one.profile)
        if mine is None or mine.digest != one.profile_digest:
            strangers.add(one.profile)
    for name in sorted(strangers):
        growth.left_out[name] = (
            f"it was made with a profile text that is not in {how.profiles} (--profiles, --size)"
        )
        growth.status = growth.status or _REFUSED
    return [one for one in sessions if one.profile not in strangers]


def is_of_branch(
    session: Session, ground: BranchState, how: GrowthOptions, growth: BaselineGrowth
) -> bool:
    """Whether it measured a commit of the branch, as it was committed."""
    commit = session.subject.commit
    branch = clean(how.branch, 100)
    if not _COMMIT.fullmatch(commit):
        why = "it does not say which commit it measured"
    elif session.subject.dirty:
        why = f"the tree had changes that are not in {commit}"
    elif not contains(ground.api, ground.tip, commit):
        why = f"its commit {commit} is not on {branch}"
    else:
        return True
    growth.left_out[session.profile] = why
    growth.status = growth.status or _REFUSED
    return False


def is_spent(
    session: Session,
    known: Mapping[tuple[str, str], Baseline],
    how: GrowthOptions,
    growth: BaselineGrowth,
) -> bool:
    """Whether the baseline has enough of that day: it is to grow by days, not by pushes."""
    baseline = known.get((session.host.host_class, session.profile))
    if baseline is None:
        return False
    if any(one.id == session.id for one in baseline.sessions):
        growth.left_out[session.profile] = "it was accepted before"
        return True
    day = session.started[:10]
    same = [one for one in baseline.sessions if one.started[:10] == day]
    if _session_count(baseline) < GOOD_BASELINE:
        same = [one for one in same if one.boot == session.boot]
    if same and not how.first:
        growth.left_out[session.profile] = f"a session of {day} was accepted already"
        return True
    return False


def sessions_to_go(baseline: Baseline) -> str:
    """How many more sessions are wanted."""
    more = GOOD_BASELINE - _session_count(baseline)
    if more <= 0:
        return ""
    return f"{baseline.profile}: {more} more sessions are wanted, of other days or boots"
