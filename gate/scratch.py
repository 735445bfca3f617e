"""Temporary files and directories that do not outlive a killed gate for long.

Each is locked by the kernel (flock) while its gate lives. Whoever makes the next one in the same
place removes those that nobody holds any more: of our own user, and with names of our own only.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RANDOM = "[a-z0-9_]{8}"
_DIRECTORY = re.compile(rf"driftgate-[a-z]+-{_RANDOM}\.tmp")
_FILE = re.compile(rf"\..+\.{_RANDOM}\.driftgate")
_swept: set[tuple[int, int, int]] = set()
"""Directories in which this process has looked for files already."""


@contextmanager
def scratch_directory(what: str, place: Path | None = None) -> Iterator[Path]:
    """A fresh directory below `place`, else below that for temporary files; gone at the end.

    Raises:
        OSError: it cannot be made.
    """
    with kept_directory_of(what, place or Path(tempfile.gettempdir())) as fresh:
        try:
            yield fresh
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def kept_directory_of(
    what: str, place: Path, may_go: Callable[[Path], bool] = lambda _: True
) -> Iterator[Path]:
    """A fresh directory, which whoever asked for it removes; `may_go` says whether a left one may.

    Raises:
        OSError: it cannot be made.
    """
    _sweep(place, _DIRECTORY, may_go)
    fresh = Path(tempfile.mkdtemp(prefix=f"driftgate-{what}-", suffix=".tmp", dir=place))
    handle = os.open(fresh, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks: nobody removes it either
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield fresh
    finally:
        os.close(handle)


@contextmanager
def temporary_beside(path: Path) -> Iterator[tuple[int, str]]:
    """An open file in the directory of `path`, and its name, removed at the end if it is there.

    Raises:
        OSError: it cannot be made.
    """
    there = path.parent.stat()
    mark = (there.st_dev, there.st_ino, os.getpid())
    if mark not in _swept:
        _swept.add(mark)
        _sweep(path.parent, _FILE, lambda _: True)
    while True:
        handle, name = tempfile.mkstemp(".driftgate", f".{path.name}.", path.parent)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_nlink:
            break
        os.close(handle)  # somebody who tidied up was faster than our lock
    try:
        yield handle, name
    finally:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)


def _sweep(place: Path, names: re.Pattern[str], may_go: Callable[[Path], bool]) -> None:
    with suppress(OSError), os.scandir(place) as entries:
        found = [Path(one.path) for one in entries if names.fullmatch(one.name)]
        for one in found:
            with suppress(OSError):
                _remove_left(one, may_go)


def _remove_left(path: Path, may_go: Callable[[Path], bool]) -> None:
    """Remove what nobody holds; BlockingIOError where somebody does."""
    seen = path.lstat()
    if seen.st_uid != os.geteuid() or not (
        stat.S_ISREG(seen.st_mode) or stat.S_ISDIR(seen.st_mode)
    ):
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), seen):
            return
        if stat.S_ISREG(seen.st_mode):
            path.unlink()
        elif may_go(path):
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(handle)
