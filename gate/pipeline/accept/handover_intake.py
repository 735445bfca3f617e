"""Sessions that a run handed over, read with distrust and judged again before any is accepted.

A report that came with them is not looked at: whoever accepts judges himself, from the sessions and
from what the branch has that the baseline goes to.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate import __version__
from gate.clock import now
from gate.errors import GateError, MeasureError, PublishError
from gate.formats import disk
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.host.host_file import HOST_FILE
from gate.formats.profile.profile_file import read_profile
from gate.formats.session.session_file import read_handover
from gate.judge.judge import judge
from gate.judge.verdict.suite import arrange
from gate.model import Role, Verdict
from gate.publish.github.git_data import blob_id, blobs_at
from gate.review.policy_reader import make_policy
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.model import Profile, Report, Session
    from gate.publish.github.api import Api

ALPHA, BETA = 0.01, 0.025
"""The promise that is kept unless somebody asks for another."""


def read_parts(parts: Mapping[str, str]) -> tuple[Session, ...]:
    """The sessions of all parts of one check; `parts` maps what each is called to its text.

    Raises:
        InputError: a part is no handover.
        PublishError: G277, a part is another one than it stands for.
        MeasureError: G277, its check ended before it was complete.
    """
    sessions: list[Session] = []
    seen: set[int] = set()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch).resolve() / "session.json"
        for name, text in parts.items():
            disk.write_text(path, text)
            try:
                handover = read_handover(path)
            except GateError as error:
                error.place = error.place.replace(str(path), name)
                raise
            refuse_error(handover.error, name)
            if handover.shards != len(parts) or handover.shard in seen:
                raise PublishError(
                    "G277",
                    f"{name}: it is part {handover.shard} of {handover.shards}, and {len(parts)} "
                    "different ones are to be there.",
                    cure="Hand in every part of one check once; --shards says how many there are.",
                )
            seen.add(handover.shard)
            sessions += handover.sessions
    return tuple(sessions)


def refuse_error(error: str, name: str) -> None:
    """Refuse a check that ended before it was complete.

    Raises:
        MeasureError: G277.
    """
    if error:
        what = f"{name}: measuring ended early: {clean(error, 300).rstrip('.')}."
        raise MeasureError("G277", what, cure="Measure again.")


def profiles_for(names: Iterable[str], directory: Path, size: str) -> dict[str, Profile]:
    """The profiles of these names that a directory has; a session may name any file, so by name.

    Raises:
        InputError: one is wrong.
    """
    places = {name: directory / f"{name}.toml" for name in names}
    return {
        name: read_profile(path, size) for name, path in places.items() if not disk.is_absent(path)
    }


def judge_again(
    sessions: Sequence[Session], store: Path, profiles: Mapping[str, Profile]
) -> tuple[Report, dict[str, Session]]:
    """The verdict on sessions by the baselines and profiles given, and what could be accepted.

    The latter is the session of each profile that the gate screens: its first whole one of the head
    side. Its metrics, tolerances and number of trials are those of the profile given, where that is
    the text it was measured by.

    Raises:
        GateError: they cannot be judged.
    """
    cases = arrange(sessions, read_baselines(store), profiles)
    policy = make_policy(ALPHA, BETA, (), store)
    report = judge(cases, policy, created=now(), version=__version__)
    own = {one.id: one for one in sessions}
    reviewed = {
        case.profile: replace(case.head, metrics=case.metrics)
        if case.reviewed and case.reviewed.digest == case.head.profile_digest
        else own[case.head.id]
        for case in cases
    }
    return report, reviewed


def passed_profiles(report: Report) -> frozenset[str]:
    """Profiles of which every finding that can close the gate is `passed`, and nothing else."""
    verdicts: dict[str, set[Verdict]] = {}
    for found in report.findings:
        if found.role is Role.GATE:
            verdicts.setdefault(found.profile, set()).add(found.verdict)
    return frozenset(name for name, seen in verdicts.items() if seen == {Verdict.PASSED})


def replaced_files(
    api: Api, commit: str, store: Path, names: Iterable[str], below: str
) -> list[str]:
    """Files of a commit that are others than those of a directory of baselines."""
    there = blobs_at(api, commit, sorted(f"{below}/{name}" for name in names))
    here = {f"{below}/{name}": _blob_of(store / name) for name in names}
    return [path for path, content in there.items() if content != here[path]]


def require_same(
    api: Api, branch: str, commit: str, store: Path, names: Iterable[str], below: str
) -> None:
    """Refuse where a branch has other baselines than those that the sessions were accepted into.

    `names` are files below `store`, here, and below `below`, there; host files are compared too.

    Raises:
        PublishError: G274.
    """
    wanted = {name for one in names for name in (one, f"{one.split('/')[0]}/{HOST_FILE}")}
    there = blobs_at(api, commit, sorted(f"{below}/{name}" for name in wanted))
    for name in sorted(wanted):
        if there.get(f"{below}/{name}") != _blob_of(store / name):
            raise PublishError(
                "G274",
                f"{below}/{name} is another one on {clean(branch, 100)} than in this checkout.",
                cure=f"Nothing was written. Check out {clean(branch, 100)} as it is now, and run "
                "the command again.",
            )


def _blob_of(path: Path) -> str | None:
    return None if disk.is_absent(path) else blob_id(disk.read_text(path, "baseline"))
