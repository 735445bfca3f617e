"""Facts and files from git; absent where there is no checkout or no git.

What git prints may come from a stranger's branch: a revision is never taken as an option, and of a
tree only regular files are ever written, below the directory that was asked for.
"""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
import threading
from typing import IO, TYPE_CHECKING, NamedTuple

from gate.errors import InputError, MeasureError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MOST_FILES = 20_000
MOST_BYTES = 256 << 20
LARGEST_FILE = 64 << 20
"""Caps on what is written out of one tree; the last is that of a session."""

_SECONDS = 20
_SCARCE = frozenset(
    getattr(errno, one)
    for one in ("EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EIO", "EINTR", "ENOSPC")
)
"""What the machine lacks, and not git."""
_LONG_SECONDS = 120
_REGULAR = ("100644", "100755")
_CHUNK = 1 << 20


class Checkout(NamedTuple):
    """The commit of a directory, and whether it has uncommitted changes."""

    commit: str
    dirty: bool


class Entry(NamedTuple):
    """One entry of a tree, as git lists it."""

    mode: str
    """`100644` and `100755` are regular files; `120000` is a link, `160000` a submodule."""
    content: str
    """The object's name."""
    size: int
    """Bytes; 0 for what is no file."""
    path: str
    """From the repository's top."""

    @property
    def regular(self) -> bool:
        """Whether it is a file, and neither a link nor a submodule."""
        return self.mode in _REGULAR


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


def entries(directory: Path, commit: str, folders: Sequence[str]) -> tuple[Entry, ...] | None:
    """Everything below some folders of a commit; None where git cannot tell.

    `folders` are paths from the repository's top; one that was not there then holds nothing.
    """
    words = ("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *filter(None, folders))
    listed = run_git(directory, *words, seconds=_LONG_SECONDS)
    if listed is None:
        return None
    return tuple(_entry(line) for line in listed.split(b"\0") if line)


def export(directory: Path, revision: str, target: Path) -> bool:
    """Write the TOML files of a directory at a revision below `target`; False if git cannot.

    A directory that did not exist at that revision exports nothing, which is not a failure.

    Raises:
        InputError: G241, as `write_entries`.
    """
    commit, prefix = commit_of(directory, revision), prefix_of(directory)
    if commit is None or prefix is None or (found := entries(directory, commit, [prefix])) is None:
        return False
    inside = f"{prefix}/" if prefix else ""
    wanted = [one._replace(path=one.path.removeprefix(inside)) for one in found]
    return write_entries(directory, [w for w in wanted if w.path.endswith(".toml")], target)


def write_entries(directory: Path, found: Sequence[Entry], target: Path) -> bool:
    """Write the regular files among some entries below `target`; False where git fails.

    Raises:
        InputError: G241, they are too large, or a path leads out of `target`.
    """
    files = [one for one in found if one.regular]
    refuse_too_much([(one.path, one.size) for one in files])
    for one in files:
        if any(part in ("", ".", "..") for part in one.path.split("/")):
            raise _refused(f"{one.path[:200]!r} is no plain path")
    with tempfile.TemporaryFile() as wanted:
        wanted.write("".join(f"{one.content}\n" for one in files).encode())
        wanted.seek(0)
        return not files or _receive(directory, wanted, files, target)


def refuse_too_much(files: Sequence[tuple[str, int]]) -> None:
    """Refuse files, by path and size in bytes, that no gate's folders would hold (G241)."""
    if len(files) > MOST_FILES:
        raise _refused(f"there are more than {MOST_FILES} files")
    for path, size in files:
        if size > LARGEST_FILE:
            raise _refused(f"{path[:200]!r} is larger than {LARGEST_FILE >> 20} MiB")
    if sum(size for _, size in files) > MOST_BYTES:
        raise _refused(f"the files are larger than {MOST_BYTES >> 20} MiB together")


def ignored(directory: Path, names: Sequence[str]) -> set[str]:
    """Those of some paths, from a directory, that git ignores there; none where it cannot tell."""
    # With a dot before it no name is taken for more than a name.
    given = b"".join(b"./" + os.fsencode(name) + b"\0" for name in names)
    said = run_git(directory, "check-ignore", "-z", "--stdin", given=given)
    return {os.fsdecode(name).removeprefix("./") for name in (said or b"").split(b"\0") if name}


def files_in(directory: Path, commit: str) -> tuple[str, ...] | None:
    """Plain files of a commit, from the repository's top; without one, of the working tree.

    Of the working tree also what nobody added to git yet, and does not ignore. None where git
    cannot tell.
    """
    if commit:
        found = entries(directory, commit, ())
        return None if found is None else tuple(one.path for one in found if one.regular)
    words = ("ls-files", "--cached", "--others", "--exclude-standard", "--full-name", "-z")
    listed = run_git(directory, *words, seconds=_LONG_SECONDS)
    if listed is None:
        return None
    names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
    return tuple(
        name
        for name in sorted(names)
        if (path := directory / name).is_file() and not path.is_symlink()
    )


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


def _entry(line: bytes) -> Entry:
    facts, _, path = line.partition(b"\t")
    mode, _, content, size = facts.decode().split()
    return Entry(mode, content, int(size) if size.isdigit() else 0, os.fsdecode(path))


def _receive(directory: Path, wanted: IO[bytes], files: Sequence[Entry], target: Path) -> bool:
    """Take the content of files, in their order, from one git process."""
    try:
        process = subprocess.Popen(
            _command(directory, "cat-file", "--batch"),
            stdin=wanted,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    timer = threading.Timer(_LONG_SECONDS, process.kill)
    timer.start()
    try:
        stream = process.stdout
        return stream is not None and all(_take(stream, one, target) for one in files)
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def _take(stream: IO[bytes], entry: Entry, target: Path) -> bool:
    """Write the next file of the stream; False where it is not what was asked for."""
    header = stream.readline(200).split()
    if header != [entry.content.encode(), b"blob", str(entry.size).encode()]:
        return False
    try:
        path = target / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            left = entry.size
            while left and (chunk := stream.read(min(left, _CHUNK))):
                file.write(chunk)
                left -= len(chunk)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "no plain path"
        raise _refused(f"{entry.path[:200]!r} cannot be written out: {why}") from error
    return left == 0 and stream.read(1) == b"\n"


def _refused(what: str) -> InputError:
    cure = "Profiles and baselines hold small plain files; move what is something else out of them."
    return InputError("G241", f"this tree is not read: {what}.", cure=cure)


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
            _command(directory, *arguments),
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


def _command(directory: Path, *arguments: str) -> list[str]:
    # Paths are names and no patterns, no replacement stands in for an object, plain files that
    # look like a repository are none, and git starts no program.
    safe = ("safe.bareRepository=explicit", "core.fsmonitor=false", "core.hooksPath=/dev/null")
    literal = () if arguments[:1] == ("check-ignore",) else ("--literal-pathspecs",)  # it refuses
    words = ["git", *literal, "--no-replace-objects"]
    return [*words, *(w for one in safe for w in ("-c", one)), "-C", str(directory), *arguments]
