"""Levels that a change had accepted for itself, and the commit that was measured to earn them.

Such a level stands in the change's own tree. It is in force only where whoever calls names the
content of its file: that somebody who may has accepted it is a fact of the forge, not of the tree.
The commit that brings it may be judged by what was measured of the one before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate import vcs
from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gate.model import Baseline, Session
    from gate.review.merge_base import MergeBase


def measured_commit(revision: str | None, known: MergeBase) -> str:
    """The commit that sessions must be of: the one judged, or one that differs by baselines alone.

    Raises:
        InputError: G200, nothing is proposed; G239, git does not know it; G243, it differs in more.
    """
    if revision is None or known.layout is None or not known.proposed:
        if revision is not None:
            cure = "Say with --merge-base and --proposed what is judged."
            raise InputError("G200", "--measured means nothing without --proposed.", cure=cure)
        return known.proposed
    top, below = known.layout.top, f"{known.layout.baseline}/"
    commit = vcs.commit_of(top, revision)
    changed = vcs.changed_paths(top, commit, known.proposed, ()) if commit else None
    if commit is None or changed is None:
        cure = "Fetch it, with its history."
        raise InputError("G239", f"git cannot compare commit {revision[:80]!r} here.", cure=cure)
    if more := [path for _, path in changed if not path.startswith(below)]:
        raise InputError(
            "G243",
            f"{commit[:12]} was measured, and {known.proposed[:12]} differs from it in "
            f"{more[0][:200]!r}, not in baselines alone.",
            cure="Measure the commit that is to be judged.",
        )
    return commit


def accepted_here(
    baselines: Sequence[Baseline], sessions: Sequence[Session], known: MergeBase, measured: str
) -> tuple[Baseline, ...]:
    """The baselines with the sessions, among those judged, that this change had accepted."""
    if measured == known.proposed or not known.accepted:
        return tuple(baselines)
    judged = frozenset(one.id for one in sessions if one.subject.commit == measured)
    return tuple(
        replace(one, accepted_here=judged & {accepted.id for accepted in one.sessions})
        if any(one.path.endswith(f"/{path}") for path in known.accepted)
        else one
        for one in baselines
    )


def accepted_notes(known: MergeBase, baselines: Iterable[Baseline | None]) -> Iterator[str]:
    """What is in force as the change has it, and which levels are the very sessions judged."""
    for path in known.accepted:
        yield f"{path} is in force as this change has it: it was accepted for this change"
    for baseline in baselines:
        for one in baseline.sessions if baseline else ():
            if baseline and one.id in baseline.accepted_here:
                yield (
                    f"{baseline.profile}: the level is the very session that is judged, accepted "
                    f"by {one.by[:100]}: {one.reason[:500]}"
                )
