"""Where a change comes from and how it was checked, so that a reader can do it again.

Facts of git, of the command line and of the CI system; nothing that a session says of itself but
the commit it was built of. Nobody is asked over a network.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gate import vcs
from gate.formats.profile.sizes import FULL
from gate.model import Origin, Side
from gate.text import shown_variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gate.model import Baseline, Profile, Session
    from gate.pipeline.request import CheckRequest

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ADDRESS = re.compile(r"https://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)+")
_REMOTE = re.compile(
    r"(?:https://(?:[^@/\s]*@)?|ssh://(?:[^@/\s]*@)?|[A-Za-z0-9._-]+@)"
    r"([A-Za-z0-9.-]+)(?::[0-9]{1,5}(?=/))?[:/]/?((?:[A-Za-z0-9._~-]+/)+[A-Za-z0-9._~-]+?)(?:\.git)?/?"
)
"""Host and path; a user, a password and a port of ssh are left out."""
_TREES = {"github.com": "blob", "codeberg.org": "src/commit"}


def origin_of_check(
    request: CheckRequest,
    sessions: Sequence[Session],
    baselines: Sequence[Baseline],
    *,
    merge_base: str,
    restarts: bool,
) -> Origin:
    """The origin of a check on this machine; `merge_base` is empty where none was asked for.

    `restarts` says whether some profile's sides are kernels of this machine.
    """
    away = _away()
    given = request.sides.base_dir
    made = _commit_at(given) if given is not None else ""
    base = made or _measured_commit(sessions, Side.BASE) or merge_base
    head = _measured_commit(sessions, Side.HEAD)
    gone = away and given is not None and given.is_absolute()
    profiles = _profiles_of(request)
    return Origin(
        base_commit=base or _accepted_commit(sessions, baselines),
        head_commit=head,
        files=_files(profiles, head),
        profiles=_inside(profiles),
        options=_options(request, away=away),
        out="" if away and request.place.is_absolute() else _shown(str(request.place)),
        checkout=gone and bool(base),
        restarts=request.host.restart and restarts,
        dirty=any(one.subject.dirty for one in sessions if one.side is Side.HEAD),
    )


def origin_of_judged(
    sessions: Sequence[Session],
    baselines: Sequence[Baseline],
    reviewed: Mapping[str, Profile],
    *,
    profiles: Path,
    baseline: Path,
    merge_base: str,
    proposed: str,
) -> Origin:
    """The origin of what was measured somewhere else; both commits are empty where not named.

    How it was measured is not told: its command line never crosses. A base side that the profiles
    do not declare was a checkout. `profiles` and `baseline` are told as the repository names them.
    """
    base = _measured_commit(sessions, Side.BASE) or merge_base
    head = proposed or _measured_commit(sessions, Side.HEAD)
    declared = {name for name, one in reviewed.items() if {"base", "head"} <= one.sides.keys()}
    paired = {one.profile for one in sessions if one.side is Side.BASE}
    places = (
        ("--profiles", _inside(profiles), "profiles"),
        ("--baseline", _inside(baseline), "baselines"),
    )
    return Origin(
        base_commit=base or _accepted_commit(sessions, baselines),
        head_commit=head,
        files=_files(profiles, head),
        profiles=_inside(profiles),
        options=tuple(_unusual(*places)),
        checkout=bool(base) and bool(paired - declared),
        dirty=any(one.subject.dirty for one in sessions if one.side is Side.HEAD),
    )


def _away() -> bool:
    """Whether this is a job of CI, of whose temporary directories no reader has anything."""
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


def _options(request: CheckRequest, *, away: bool) -> tuple[str, ...]:
    """The words that said what is measured and on which files it is judged."""
    sides = request.sides

    def there(path: Path | None) -> Path | None:
        """Nothing in a job of CI that was named as that machine names it."""
        return None if path is None or (away and path.is_absolute()) else path

    words = _unusual(
        ("--base", there(sides.base_dir), None),
        *(("--base-env", shown_variable(one), None) for one in sides.base_env),
        ("--head", there(sides.head_dir), None),
        *(("--head-env", shown_variable(one), None) for one in sides.head_env),
        ("--subject", there(sides.subject), None),
        ("--profiles", _place(_profiles_of(request), away=away), "profiles"),
        ("--baseline", _place(request.policy.baseline, away=away), "baselines"),
        ("--size", request.selection.size, FULL),
        # Where the environment names the class, it does so again for whoever measures here.
        ("--host-class", request.host.host_class, os.environ.get("GATE_HOST_CLASS")),
        ("--work", None if away else request.host.work, None),
    )
    return tuple(map(_shown, words))


def words_of(request: CheckRequest) -> tuple[str, ...]:
    """The words of a check that say what it measures, by what it judges, and where that is kept."""
    chosen, shard = request.selection, request.shard
    return (
        *chosen.names,
        *(word for name in chosen.benchmarks for word in ("--benchmark", name)),
        *_unusual(("--pairs", chosen.pairs, None)),
        *(("--within", f"{chosen.within:g}s") if chosen.within else ()),
        *_options(request, away=False),
        *_unusual(
            ("--merge-base", request.policy.merge_base, None),
            ("--shard", f"{shard.number}/{shard.of}", "1/1"),
            *(("--accepted", one, None) for one in request.policy.accepted),
        ),
        *(("--unapproved",) if request.policy.unapproved else ()),
        *(() if request.output.why else ("--no-why",)),
        *("--out", str(request.place)),
    )


def _profiles_of(request: CheckRequest) -> Path:
    """The folder of the profiles; where they were named by path, the one that these stand in."""
    names = request.selection.names
    folders = {Path(name).parent if name.endswith(".toml") else None for name in names}
    return (folders.pop() if len(folders) == 1 else None) or request.selection.profiles


def _place(directory: Path, *, away: bool) -> str:
    """A directory as it was named; in a job of CI never as that machine names it."""
    return _inside(directory) if away and directory.is_absolute() else str(directory)


def _unusual(*rows: tuple[str, object, object]) -> Iterator[str]:
    """Options and their values, but for those that are absent or as usual."""
    for option, value, usual in rows:
        if value not in {None, usual}:
            yield from (option, str(value))


def _shown(text: str) -> str:
    """The text with what is no UTF-8, as a directory's name may be, written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _commit_at(directory: Path) -> str:
    facts = vcs.checkout(directory)
    return _known(facts.commit if facts else "")


def _measured_commit(sessions: Iterable[Session], side: Side) -> str:
    """The commit that all sessions of a side are of; empty where they differ or do not tell."""
    found = {_known(one.subject.commit) for one in sessions if one.side is side}
    return found.pop() if len(found) == 1 else ""


def _accepted_commit(sessions: Sequence[Session], baselines: Sequence[Baseline]) -> str:
    """The commit of the newest accepted session of what was measured."""
    here = {(one.profile, one.host.host_class) for one in sessions}
    accepted = (
        (one.started, one.id, one.commit)
        for baseline in baselines
        if (baseline.profile, baseline.host_class) in here
        for one in baseline.sessions
    )
    return _known(max(accepted, default=("", "", ""))[-1])


def _known(commit: str) -> str:
    return commit if _COMMIT.fullmatch(commit) else ""


def _inside(profiles: Path) -> str:
    """A folder as its repository names it; outside of one as it was named, or its last name."""
    there = vcs.prefix_of(profiles) if profiles.is_dir() else None
    if there is None:
        there = profiles.name if _away() and profiles.is_absolute() else profiles.as_posix()
    return _shown(there or ".")


def _files(profiles: Path, head: str) -> str:
    """Where a browser finds the repository's files as of the head commit; empty if unknown.

    Where the head is of another repository, the profiles are as of this one's own commit.
    """
    here = profiles if profiles.is_dir() else Path()
    commit = head if head and vcs.commit_of(here, head) else _commit_at(here)
    if not commit:
        return ""
    address = _of_ci(os.environ) or _of_remote(vcs.remote(here) or "")
    return f"{address}/{commit}" if address else ""


def _of_ci(environment: Mapping[str, str]) -> str:
    """`https://server/owner/repo/blob` from what the CI system says of itself."""
    server, name = environment.get("GITHUB_SERVER_URL"), environment.get("GITHUB_REPOSITORY")
    if server and name:
        tree = "src/commit" if environment.get("GITEA_ACTIONS") == "true" else "blob"
        return _file_address(f"{server.rstrip('/')}/{name}", tree)
    return _file_address(environment.get("CI_PROJECT_URL", ""), "-/blob")


def _of_remote(url: str) -> str:
    """The same from a remote, for hosts whose addresses are known."""
    found = _REMOTE.fullmatch(url)
    if found is None:
        return ""
    host, path = found[1].lower(), found[2]
    tree = "-/blob" if host.startswith("gitlab.") else _TREES.get(host, "")
    return _file_address(f"https://{host}/{path}", tree) if tree else ""


def _file_address(address: str, tree: str) -> str:
    plain = _ADDRESS.fullmatch(address) and ".." not in address.split("/")
    return f"{address}/{tree}" if plain else ""
