"""Facts from git; absent where there is no checkout or no git.

What git prints may come from a stranger's branch: a revision is never taken as an option.
"""

from __future__ import annotations

import errno
import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SECONDS = 20
_SCARCE = frozenset(
    getattr(errno, one)
    for one in ("EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EIO", "EINTR", "ENOSPC")
)
"""What the machine lacks, and not git."""
LONG_SECONDS = 120


class Checkout(NamedTuple):
    """The commit of a directory, and whether it has uncommitted changes."""

    commit: str
    dirty: bool


def checkout(directory: Path) -> Checkout | None:
    """The git facts of a directory, or None."""
    commit = _git(directory, "rev-parse", "HEAD")
    # A directory that git ignores is not what that commit says it is.
    if commit is None or _git(directory, "check-ignore", "--quiet", ".") is not None:
        return None
    changes = _git(directory, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return Checkout(commit=commit, dirty=bool(changes))


def changes(directory: Path) -> str:
    """The uncommitted changes to tracked files, as a diff."""
    return _git(directory, "diff", "--no-ext-diff", "--binary", "HEAD") or ""


def user_name(directory: Path) -> str | None:
    """The name git would commit with, or None."""
    return _git(directory, "config", "user.name") or None


def remote(directory: Path) -> str | None:
    """The address of the remote `origin`, or None."""
    return _git(directory, "remote", "get-url", "origin") or None


def prefix_of(directory: Path) -> str | None:
    """A directory as seen from its repository's top: `sub/dir`, empty at the top.

    None where it is in no repository, or git refuses to look into it.
    """
    shown = run_git(directory, "rev-parse", "--show-prefix")
    if shown is None or _git(directory, "rev-parse", "--is-inside-work-tree") != "true":
        return None
    return os.fsdecode(shown).removesuffix("\n").rstrip("/")


def top_of(directory: Path) -> str | None:
    """The top of the repository that a directory is in, or None."""
    shown = run_git(directory, "rev-parse", "--show-toplevel")
    return None if shown is None else os.fsdecode(shown).removesuffix("\n")


def commit_of(directory: Path, revision: str) -> str | None:
    """The full hash of a revision's commit; None where git knows none."""
    if "\0" in revision:
        return None
    named = f"{revision}^{{commit}}"
    return _git(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", named) or None


def merge_bases(directory: Path, revision: str, other: str) -> tuple[str, ...]:
    """The newest commits that two revisions have in common: several where they merged crosswise.

    None at all where one is unknown, or nothing in common can be seen, as in a shallow clone.
    """
    found = _git(directory, "merge-base", "-a", "--end-of-options", revision, other)
    return tuple((found or "").split())


def ignored(directory: Path, names: Sequence[str]) -> set[str]:
    """Those of some paths, from a directory, that git ignores there; none where it cannot tell."""
    # With a dot before it no name is taken for more than a name.
    given = b"".join(b"./" + os.fsencode(name) + b"\0" for name in names)
    said = run_git(directory, "check-ignore", "-z", "--stdin", given=given)
    return {os.fsdecode(name).removeprefix("./") for name in (said or b"").split(b"\0") if name}


def changed_paths(
    directory: Path, commit: str, proposed: str, places: Sequence[str]
) -> tuple[tuple[str, str], ...] | None:
    """What became of files since a commit: `A`, `D`, `M` or `T`, and the path; None if unknown.

    Up to a proposed commit; where that is empty, up to the working tree with what nobody added to
    git yet. Names are compared and no content is read.
    """
    words = ("diff", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", commit)
    listed = run_git(directory, *words, *filter(None, [proposed]), "--", *places)
    untracked = ("ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", *places)
    others = b"" if proposed else run_git(directory, *untracked)
    if listed is None or others is None:
        return None
    rows = listed.split(b"\0")[:-1]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    found = {os.fsdecode(path): facts[-1:].decode() for facts, path in pairs}
    found |= {os.fsdecode(path): "A" for path in others.split(b"\0") if path}
    return tuple(sorted((kind, path) for path, kind in found.items()))


def _git(directory: Path, *arguments: str) -> str | None:
    """What git prints, as text; None where it fails."""
    said = run_git(directory, *arguments)
    return None if said is None else said.decode("utf-8", "replace").strip()


def run_git(
    directory: Path,
    *arguments: str,
    given: bytes = b"",
    seconds: float = _SECONDS,
    paths: Mapping[str, str] | None = None,
) -> bytes | None:
    """What git prints; None where it fails, is not there or takes too long.

    `given` is what it reads; `paths` are variables that name other places than its own.

    Raises:
        MeasureError: G287, git was killed or could not be started for want of something: that is
            no answer, and nobody may take it for "no repository".
    """
    try:
        done = subprocess.run(
            git_command(directory, *arguments),
            input=given,
            env=None if paths is None else {**os.environ, **paths},
            capture_output=True,
            timeout=seconds,
            check=False,
            start_new_session=True,  # a Ctrl-C is not for git, which would seem to be absent
        )
    except OSError as error:
        if error.errno in _SCARCE:
            raise _no_answer(f"it cannot be started: {error.strerror}") from error
        return None
    except (ValueError, subprocess.TimeoutExpired):
        return None
    if done.returncode < 0:
        raise _no_answer(f"it was killed by signal {-done.returncode}")
    return done.stdout if done.returncode == 0 else None


def _no_answer(why: str) -> MeasureError:
    cure = "See what the machine lacks (memory, open files, processes), and start again."
    return MeasureError("G287", f"git gave no answer: {why}.", cure=cure)


def git_command(directory: Path, *arguments: str) -> list[str]:
    """The command line of a call of git that a stranger's repository cannot steer."""
    # Paths are names and no patterns, no replacement stands in for an object, plain files that
    # look like a repository are none, and git starts no program.
    safe = ("safe.bareRepository=explicit", "core.fsmonitor=false", "core.hooksPath=/dev/null")
    literal = () if arguments[:1] == ("check-ignore",) else ("--literal-pathspecs",)  # it refuses
    words = ["git", *literal, "--no-replace-objects"]
    return [*words, *(w for one in safe for w in ("-c", one)), "-C", str(directory), *arguments]
