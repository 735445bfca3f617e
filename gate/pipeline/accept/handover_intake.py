"""Sessions that a run handed over, read with distrust and judged again before any is accepted.

A report that came with them is not looked at: whoever accepts judges himself, from the sessions and
from what the branch has that the baseline goes to, which must be what is judged by here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from gate.model import Role, Side, Verdict
from gate.publish.github.git_data import blob_id, blobs_at
from gate.review.lineage import earned_by
from gate.review.policy_reader import make_policy, not_before
from gate.scratch import scratch_directory
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
    with scratch_directory("any") as scratch:
        path = Path(scratch).resolve() / "session.json"
        for name, text in parts.items():
            disk.write_text(path, text)
            try:
                handover = read_handover(path)
            except GateError as error:
                error.place = error.place.replace(str(path), name)
                raise
            if handover.error:
                what = f"measuring ended early: {clean(handover.error, 300).rstrip('.')}."
                raise MeasureError("G277", f"{name}: {what}", cure="Measure again.")
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


def profiles_for(names: Iterable[str], directory: Path, size: str) -> dict[str, Profile]:
    """The profiles of these names that a directory has; a session may name any file, so by name."""
    places = {name: directory / f"{name}.toml" for name in names}
    return {
        name: read_profile(path, size) for name, path in places.items() if not disk.is_absent(path)
    }


def judge_again(
    sessions: Sequence[Session], store: Path, profiles: Mapping[str, Profile], folder: Path
) -> tuple[Report, dict[str, Session]]:
    """The verdict on sessions by the baselines and profiles given, and what could be accepted.

    `folder` is where the repository has the baselines, which `store` may hold as of another commit.

    The latter is the session of each profile that the gate screens: its first whole one of the head
    side. Its metrics, tolerances and number of trials are those of the profile given, where that is
    the text it was measured by.
    """
    commit = next((one.subject.commit for one in sessions if one.side is Side.HEAD), "")
    baselines = earned_by(read_baselines(store), folder, commit)
    cases = arrange(sessions, baselines, profiles)
    policy = not_before(make_policy(ALPHA, BETA, (), store), baselines, (commit or "HEAD",))
    report = judge(cases, policy, created=now(), version=__version__)
    own = {one.id: one for one in sessions}
    reviewed = {
        case.profile: replace(case.head, metrics=case.metrics)
        if case.reviewed and case.reviewed.digest == case.head.profile_digest
        else own[case.head.id]
        for case in cases
    }
    return report, reviewed


def why_not_passed(report: Report, profile: str) -> str:
    """The verdicts of a profile that can close the gate, but `passed`; empty where all are that."""
    gates = [f for f in report.findings if f.profile == profile and f.role is Role.GATE]
    others = sorted({str(one.verdict) for one in gates if one.verdict is not Verdict.PASSED})
    return ", ".join(others) if gates else "nothing was judged"


def is_of_text(session: Session, profiles: Mapping[str, Profile]) -> bool:
    """Whether it was measured by the text of one of these profiles."""
    mine = profiles.get(session.profile)
    return mine is not None and mine.digest == session.profile_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseBranch:
    """The branch that a baseline goes to, as it stands, and the baselines that it should have."""

    api: Api
    name: str
    tip: str
    store: Path
    """Baselines of this checkout."""
    below: str
    """The baseline directory, as the repository names it."""

    def placed(self, files: Mapping[str, str]) -> dict[str, str]:
        """Files below the baseline directory as the repository names them."""
        return {f"{self.below}/{name}": text for name, text in files.items()}

    def require_same(self, names: Iterable[str], at: str = "") -> None:
        """Refuse where it has other baselines than those that the sessions were accepted into.

        Host files are compared too. `at` is where a pull request left it, instead of its tip.

        Raises:
            PublishError: G274.
        """
        every = {name for one in names for name in (one, f"{one.split('/')[0]}/{HOST_FILE}")}
        others = self._others(at or self.tip, every)
        if others and at:
            raise PublishError(
                "G274",
                f"{clean(self.name, 100)} has another {others[0]} than the pull request began on.",
                cure="Nothing was written. Update the branch of the pull request; when that is "
                "measured, write the command again.",
            )
        if others:
            branch = clean(self.name, 100)
            raise PublishError(
                "G274",
                f"{others[0]} is another one on {branch} than in this checkout.",
                cure=f"Nothing was written. Check out {branch} as it is now, and run the command "
                "again.",
            )

    def replaced_at(self, commit: str, names: Iterable[str]) -> list[str]:
        """Files of a commit that are others than those here."""
        return self._others(commit, names, absent=False)

    def _others(self, commit: str, names: Iterable[str], *, absent: bool = True) -> list[str]:
        """Paths at which a commit has other files; with `absent` also where it has none."""
        here = {f"{self.below}/{name}": _blob_of(self.store / name) for name in sorted(names)}
        there = blobs_at(self.api, commit, here)
        others = [path for path, content in here.items() if there.get(path) != content]
        return others if absent else [path for path in others if path in there]


def _blob_of(path: Path) -> str | None:
    return None if disk.is_absent(path) else blob_id(disk.read_text(path, "baseline"))
