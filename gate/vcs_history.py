"""What git says of commits in a history: known, contained, or contained by content.

A squash or a rebase makes other commits of the same content. Such content is found by merging:
where a commit, merged into one of the history, would change nothing, the history has all that it
did.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gate import vcs
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_SECONDS = 60
_MOST_MERGES = 40
"""Commits of the history that are tried, the newest first."""
_END_OF_TIME = 253_402_300_800
"""Seconds; the year 10000, which no date of ours holds."""
_FIRST_PARENTS = ("rev-list", "--first-parent", f"--max-count={_MOST_MERGES}", "--stdin")


def is_shallow(directory: Path) -> bool:
    """Whether the clone has only the newest part of its history, or git cannot tell."""
    return vcs.run_git(directory, "rev-parse", "--is-shallow-repository") != b"false\n"


def known_commits(directory: Path, commits: Collection[str]) -> frozenset[str]:
    """Those of some commits, by their full names, that this clone has."""
    rows = _lines(vcs.run_git(directory, "cat-file", "--batch-check", given=_text(commits)))
    pairs = (row.split() for row in rows)
    return frozenset(row[0] for row in pairs if row[1:2] == ["commit"]) & frozenset(commits)


def contained(directory: Path, commits: Collection[str], tip: str) -> frozenset[str] | None:
    """Those of some known commits that are `tip` or its ancestors; None where git fails."""
    given = _text([*commits, f"^{tip}"])
    found = vcs.run_git(directory, "rev-list", "--stdin", given=given, seconds=_SECONDS)
    return None if found is None else frozenset(commits) - frozenset(_lines(found))


def newest_day(directory: Path, commits: Iterable[str]) -> str:
    """The UTC date of the newest of some commits, as they say themselves; empty where unknown."""
    asked = (vcs.run_git(directory, "log", "-1", "--format=%ct", one, "--") for one in commits)
    seconds = [int(text) for said in asked if said and (text := said.strip()).isdigit()]
    days = (datetime.fromtimestamp(one, UTC) for one in seconds if one < _END_OF_TIME)
    return max((one.date().isoformat() for one in days), default="")


def words_in(top: Path, words: Collection[str], tip: str, folder: str) -> frozenset[str]:
    """Those of some words that stand in a folder of a commit, named from the top."""
    ask = ("grep", "-F", "-o", "-h", "-f", "-", tip, "--", folder)
    return frozenset(words) & frozenset(_lines(vcs.run_git(top, *ask, given=_text(words))))


def holds_content(directory: Path, commit: str, tip: str, besides: str) -> bool | None:
    """Whether the history of `tip` has all that a commit did since they parted, whoever did it.

    What lies below the folder `besides`, named from the top, does not count. None where git cannot
    tell: nothing in common, merged crosswise, a git older than 2.38, or the same lines were changed
    further.
    """
    starts = vcs.merge_bases(directory, tip, commit)
    start = starts[0] if len(starts) == 1 else None
    paths = None if start is None else _changed(directory, start, commit, besides)
    if start is None or paths is None or any("\n" in path for path in paths):
        return None
    if not paths:
        return True
    # What the history did to these paths since: one of these commits may be the squashed one.
    given = _text([tip, f"^{start}", "--", *paths])
    tried = _lines(vcs.run_git(directory, *_FIRST_PARENTS, given=given, seconds=_SECONDS))
    with scratch_directory("any") as scratch:
        merging = _Merging.prepared(directory, Path(scratch))
        if merging is None:
            return None
        answers = (merging.adds_nothing(one, commit, besides) for one in tried)
        clear = [answer for answer in _until_true(answers) if answer is not False]
    return clear[-1] if clear else False


def _until_true(answers: Iterable[bool | None]) -> Iterable[bool | None]:
    for answer in answers:
        yield answer
        if answer:
            return


class _Merging(NamedTuple):
    """Trial merges, which leave nothing in the repository and read no attributes of its tree."""

    place: Path
    paths: dict[str, str]

    @classmethod
    def prepared(cls, directory: Path, scratch: Path) -> _Merging | None:
        """Merges of a repository that write to an empty directory."""
        words = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-path", "objects")
        own, _, objects = os.fsdecode(vcs.run_git(directory, *words) or b"").strip().partition("\n")
        paths = {
            "GIT_DIR": own,
            "GIT_WORK_TREE": str(scratch),
            "GIT_INDEX_FILE": str(scratch / "index"),
            "GIT_OBJECT_DIRECTORY": str(scratch),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
            "GIT_NO_LAZY_FETCH": "1",
        }
        return cls(scratch, paths) if objects else None

    def adds_nothing(self, onto: str, commit: str, besides: str) -> bool | None:
        """Whether merging a commit changes nothing but below a folder; None for a conflict."""
        tree = self._run("merge-tree", "--write-tree", "--no-messages", onto, commit)
        if tree is None:
            return None
        words = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", onto)
        names = self._run(*words, tree.decode().strip())
        return None if names is None else not _outside(names, besides)

    def _run(self, *words: str) -> bytes | None:
        return vcs.run_git(self.place, *words, seconds=_SECONDS, paths=self.paths)


def _changed(directory: Path, before: str, after: str, besides: str) -> list[str] | None:
    words = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", before, after)
    names = vcs.run_git(directory, *words, seconds=_SECONDS)
    return None if names is None else _outside(names, besides)


def _outside(names: bytes, folder: str) -> list[str]:
    paths = [os.fsdecode(name) for name in names.split(b"\0") if name]
    return [path for path in paths if not path.startswith(f"{folder}/")]


def _text(words: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(word) + b"\n" for word in words)


def _lines(output: bytes | None) -> list[str]:
    return os.fsdecode(output or b"").splitlines()
