"""Which sessions of the default branch may enter its baseline, and why the others may not.

A baseline that grew by itself could follow a slow slide. So nothing enters but what the gate passed
against the level that people accepted; the anchor of each epoch stays; a person accepts the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

from gate.formats.baseline.baseline_file import read_baselines
from gate.judge.acceptable import why_not
from gate.model import Side
from gate.publish.github.git_data import contains
from gate.stats.costs import LEAST_SESSIONS
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from gate.model import Baseline, Session
    from gate.pipeline.accept.handover_intake import BaseBranch
    from gate.publish.propose import ProposalResult

GOOD_BASELINE = 10
"""Sessions that make a good baseline; below it, one a day and boot, from then on one a day."""
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

    def fit(
        self,
        sessions: Iterable[Session],
        why_not: Callable[[Session], str | None],
        *,
        name: Callable[[Session], str] = attrgetter("profile"),
        status: int = 0,
    ) -> list[Session]:
        """The sessions that nothing speaks against; the others are left out by name, with why.

        Where one is, the exit status is `status`, unless there is another already.
        """
        reasons = [(one, why_not(one)) for one in sessions]
        for one, reason in reasons:
            if reason:
                self.left_out[name(one)] = reason
                self.status = self.status or status
        return [one for one, reason in reasons if not reason]


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


def why_not_first(session: Session) -> str | None:
    """What keeps a session from a first baseline: whole, undisturbed, of the head side."""
    return "it is not of the head side" if session.side is not Side.HEAD else why_not(session)


def why_not_of_branch(session: Session, base: BaseBranch) -> str:
    """Why it did not measure a commit of the branch, as it was committed; empty where it did."""
    commit = session.subject.commit
    if not _COMMIT.fullmatch(commit):
        return "it does not say which commit it measured"
    if session.subject.dirty:
        return f"the tree had changes that are not in {commit}"
    if not contains(base.api, base.tip, commit):
        return f"its commit {commit} is not on {clean(base.name, 100)}"
    return ""


def why_spent(session: Session, known: Mapping[tuple[str, str], Baseline], *, first: bool) -> str:
    """Why the baseline has enough of its day, as it is to grow by days and not by pushes."""
    baseline = known.get((session.host.host_class, session.profile))
    if baseline is None:
        return ""
    if any(one.id == session.id for one in baseline.sessions):
        return "it was accepted before"
    day = session.started[:10]
    same = [one for one in baseline.sessions if one.started[:10] == day]
    if _session_count(baseline) < GOOD_BASELINE:
        same = [one for one in same if one.boot == session.boot]
    return f"a session of {day} was accepted already" if same and not first else ""


def sessions_to_go(baseline: Baseline) -> str:
    """How many more sessions are wanted."""
    more = GOOD_BASELINE - _session_count(baseline)
    if more <= 0:
        return ""
    return f"{baseline.profile}: {more} more sessions are wanted, of other days or boots"


def _session_count(baseline: Baseline) -> int:
    """Sessions in the current epoch of every series; 0 where there is no series."""
    return min((len(series.current) for series in baseline.series), default=0)
