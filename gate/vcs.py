"""Facts from git; absent where there is no checkout or no git."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


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


def _git(directory: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", str(directory), *arguments],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            start_new_session=True,  # a Ctrl-C is not for git, which would seem to be absent
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def export(directory: Path, revision: str, target: Path) -> bool:
    """Write the files of a directory at a revision below `target`; False if git cannot.

    A directory that did not exist at that revision exports nothing, which is not a failure.
    """
    place = directory if directory.is_dir() else directory.parent
    commit = _git(
        place, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    prefix = _git(directory, "rev-parse", "--show-prefix") if directory.is_dir() else None
    if commit is None or prefix is None:
        return False
    listed = _git(
        directory, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, prefix or "."
    )
    for name in (listed or "").split("\0"):
        text = _git(directory, "show", f"{commit}:{name}") if name.endswith(".toml") else None
        if text is not None:
            path = target / name.removeprefix(prefix)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
    return True
