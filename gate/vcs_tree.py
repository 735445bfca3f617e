"""What a commit's tree holds, and its files written out.

What git lists may come from a stranger's branch: only regular files are ever written, below the
directory that was asked for, and no more than any gate's folders would hold.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from typing import IO, TYPE_CHECKING, NamedTuple

from gate.errors import InputError
from gate.vcs import LONG_SECONDS, commit_of, git_command, prefix_of, run_git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_FILES = 20_000
MOST_BYTES = 256 << 20
LARGEST_FILE = 64 << 20
"""Caps on what is written out of one tree; the last is that of a session."""

_REGULAR = ("100644", "100755")
_CHUNK = 1 << 20


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


def entries(directory: Path, commit: str, folders: Sequence[str]) -> tuple[Entry, ...] | None:
    """Everything below some folders of a commit; None where git cannot tell.

    `folders` are paths from the repository's top; one that was not there then holds nothing.
    """
    words = ("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *filter(None, folders))
    listed = run_git(directory, *words, seconds=LONG_SECONDS)
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


def files_in(directory: Path, commit: str) -> tuple[str, ...] | None:
    """Plain files of a commit, from the repository's top; without one, of the working tree.

    Of the working tree also what nobody added to git yet, and does not ignore. None where git
    cannot tell.
    """
    if commit:
        found = entries(directory, commit, ())
        return None if found is None else tuple(one.path for one in found if one.regular)
    words = ("ls-files", "--cached", "--others", "--exclude-standard", "--full-name", "-z")
    listed = run_git(directory, *words, seconds=LONG_SECONDS)
    if listed is None:
        return None
    names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
    return tuple(
        name
        for name in sorted(names)
        if (path := directory / name).is_file() and not path.is_symlink()
    )


def _entry(line: bytes) -> Entry:
    facts, _, path = line.partition(b"\t")
    mode, _, content, size = facts.decode().split()
    return Entry(mode, content, int(size) if size.isdigit() else 0, os.fsdecode(path))


def _receive(directory: Path, wanted: IO[bytes], files: Sequence[Entry], target: Path) -> bool:
    """Take the content of files, in their order, from one git process."""
    try:
        process = subprocess.Popen(
            git_command(directory, "cat-file", "--batch"),
            stdin=wanted,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    timer = threading.Timer(LONG_SECONDS, process.kill)
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
