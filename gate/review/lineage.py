"""Which accepted levels are of code that a base contains: what git says of their commits.

A session's code is in a base that descends from its commit, or that has all that the commit did by
a squash, a rebase or a cherry-pick. Commits stand in baselines as text: they reach git as full
hashes alone.

A level may also stand in the change's own tree, accepted for it. It is in force only where whoever
calls names the content of its file: that somebody who may has accepted it is a fact of the forge.
The commit that brings it may be judged by what was measured of the one before.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from gate import vcs, vcs_history
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.judge.verdict.in_force import in_force
from gate.model import Lineage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from gate.model import AcceptedSession, Baseline, Session
    from gate.review.merge_base import MergeBase

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ID = re.compile(r"[A-Za-z0-9._:-]{8,200}")
_MOST_BY_CONTENT = 8
"""Commits, the newest, that are looked for by their content where they are no ancestors."""


def earned(known: MergeBase) -> tuple[Baseline, ...]:
    """The baselines of a merge base with the levels that are in force for it and what it judges.

    Where git knows none of their commits, as they are of another repository, all stand as they are.
    """
    baselines = read_baselines(known.baseline)
    if known.layout is None:
        return baselines
    top, folder = known.layout.top, known.layout.baseline
    lineage = lineage_of(baselines, top, known.commit, known.head, folder)
    return tuple(in_force(one, lineage) for one in baselines)


def earned_at_desk(
    baselines: Sequence[Baseline], folder: Path, base: Path | None, head: Path | None
) -> tuple[Baseline, ...]:
    """The same for the directories of two sides, and the baselines of the working tree.

    A session that the base's own tree does not hold was accepted by the change itself. Without a
    base side the commit checked out is both.
    """
    if not _later_epochs(baselines):
        return tuple(baselines)
    top, inside = vcs.top_of(Path.cwd()), vcs.prefix_of(folder) if folder.is_dir() else None
    tips = [vcs.checkout(one or Path()) for one in (base or head, head)]
    if top is None or not inside or None in tips:
        return tuple(baselines)
    mine, theirs = (one.commit for one in tips if one is not None)
    ids = [one.id for known in baselines for one in known.sessions if _ID.fullmatch(one.id)]
    own = frozenset(ids) - vcs_history.words_in(Path(top), ids, mine, inside)
    lineage = lineage_of(baselines, Path(top), mine, theirs, inside)
    if lineage is not None:
        sets = {name: getattr(lineage, name) - own for name in ("base", "outside", "unknown")}
        lineage = replace(lineage, change=lineage.change | own, **sets)
    return tuple(in_force(one, lineage) for one in baselines)


def earned_by(
    baselines: Sequence[Baseline], folder: Path, commit: str, *, strict: bool = True
) -> tuple[Baseline, ...]:
    """Baselines with the levels in force for one commit; as they are where git does not know it."""
    if not _later_epochs(baselines):
        return tuple(baselines)
    top, inside = vcs.top_of(Path.cwd()), vcs.prefix_of(folder) if folder.is_dir() else None
    if top is None or inside is None or not _COMMIT.fullmatch(commit):
        return tuple(baselines)
    lineage = lineage_of(baselines, Path(top), commit, commit, inside)
    return tuple(in_force(one, lineage, strict=strict) for one in baselines)


def lineage_of(
    baselines: Sequence[Baseline], top: Path, base: str, head: str, folder: str
) -> Lineage | None:
    """What git says of the commits of accepted sessions; None where it knows none of them."""
    later = _later_epochs(baselines)
    every = [one for known in baselines for one in known.sessions if _COMMIT.fullmatch(one.commit)]
    if not later or not every:
        return None
    known = vcs_history.known_commits(top, {one.commit for one in every} | {base, head})
    shallow = vcs_history.is_shallow(top)
    if not {base, head} <= known or not (shallow or any(one.commit in known for one in every)):
        return None
    tips = {"base": base, "change": head}
    places = _by_ancestry(top, tips, known)
    for number, commit in enumerate(_undecided(later, every, places)):
        found = _by_content(top, tips, commit, folder) if number < _MOST_BY_CONTENT else None
        if found == "base" or places[commit] == "outside":
            places[commit] = found or "unknown"
    sets: dict[str, set[str]] = {"base": set(), "change": set(), "outside": set(), "unknown": set()}
    for one in every:
        place = places.get(one.commit, "unknown")
        unsure = one.dirty or (shallow and place == "outside")
        sets["unknown" if unsure else place].add(one.id)
    return Lineage(**{name: frozenset(ids) for name, ids in sets.items()})


def _later_epochs(baselines: Sequence[Baseline]) -> set[frozenset[str]]:
    """The sessions of each epoch but the first of a series, which alone can be out of force."""
    return {
        frozenset(point.session for point in points)
        for known in baselines
        for series in known.series
        for epoch, points in groupby(series.points, key=lambda point: point.epoch)
        if epoch > series.points[0].epoch
    }


def _by_ancestry(top: Path, tips: Mapping[str, str], known: Collection[str]) -> dict[str, str]:
    """Where each known commit is: in the base, in the change, or outside; nothing if git fails."""
    places: dict[str, str] = {}
    for name, tip in tips.items():
        found = vcs_history.contained(top, [one for one in known if one not in places], tip)
        if found is None:
            return {}
        places |= dict.fromkeys(found, name)
    return dict.fromkeys(known, "outside") | places


def _undecided(
    later: Collection[frozenset[str]], every: Sequence[AcceptedSession], places: Mapping[str, str]
) -> list[str]:
    """Known commits of epochs of which no session is of the base's history, newest first."""
    newest = sorted(every, key=lambda one: (one.started, one.id), reverse=True)
    held = {one.id for one in every if not one.dirty and places.get(one.commit) == "base"}
    asked = frozenset().union(*(ids for ids in later if not ids & held))
    rows = (one.commit for one in newest if one.id in asked and not one.dirty)
    return [one for one in dict.fromkeys(rows) if one in places]


def _by_content(top: Path, tips: Mapping[str, str], commit: str, folder: str) -> str | None:
    """The first tip that holds what a commit did, else `outside`; None where git cannot tell."""
    unsure = False
    for name, tip in tips.items():
        held = vcs_history.holds_content(top, commit, tip, folder)
        if held:
            return name
        unsure = unsure or held is None
    return None if unsure else "outside"


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
