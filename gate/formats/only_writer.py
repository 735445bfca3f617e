"""One writer at a time below a directory, who writes only over what he has read.

Whoever reads a file to write it anew takes the directory's lock first. It is the kernel's (flock)
and ends with its holder. An editor or git takes no such lock: what changed since the lock was taken
is not overwritten either.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats.disk import is_missing, opened_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Marks = dict[Path, tuple[int, ...]]

_PATIENCE, _STEP = 60.0, 0.05
"""Seconds to wait for another writer, who needs a moment, and between two attempts."""


@contextmanager
def only_writer(directory: Path) -> Iterator[Callable[[], None]]:
    """Be the only gate that reads and writes below a directory, such as `baselines/`.

    Gives what is to be called between the last look and the first write: it raises where
    somebody without the lock has changed a file since.

    Raises:
        InputError: G209, another gate goes on writing there; G201, G208, it is no directory, or
            cannot be locked.
    """
    new = is_missing(directory)
    if not new and not _is_directory(directory):
        why, cure = "is not a directory.", "Check --baseline."
        raise InputError("G201", why, cure=cure, place=str(directory))
    with _locked(directory):
        before = _marks(directory)
        try:
            yield lambda: _demand_same(before, _marks(directory))
        finally:
            if new:
                with suppress(OSError):  # it is not empty: something was written
                    directory.rmdir()


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:  # a name too long, a loop of links
        cure = "Check --baseline."
        raise InputError("G201", f"{error.strerror}.", cure=cure, place=str(path)) from error


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the lock of the directory that stands at that path, and not of one moved away."""
    until = time.monotonic() + _PATIENCE
    while True:
        with opened_directory(directory, "cannot be locked") as handle:
            _wait_for(handle, directory, until)
            with suppress(OSError):
                if os.path.samestat(os.fstat(handle), directory.stat()):
                    yield
                    return


def _wait_for(handle: int, directory: Path, until: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() < until:
                time.sleep(_STEP)
                continue
            raise InputError(
                "G209",
                f"another gate has been writing there for {_PATIENCE:.0f} s.",
                cure=f"See which with `fuser -v {directory}`; wait for it, or end it.",
                place=str(directory),
            ) from error
        except OSError as error:
            message = f"cannot be locked: {error.strerror}."
            cure = "Have the checkout on a file system with locks, such as a local one."
            raise InputError("G208", message, cure=cure, place=str(directory)) from error
        return


def _marks(directory: Path) -> Marks:
    """What tells whether a file is still the same, of each in a folder below the directory."""
    found: Marks = {}
    for path in directory.glob("*/*"):
        with suppress(OSError):
            now = path.lstat()
            found[path] = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    return found


def _demand_same(before: Marks, now: Marks) -> None:
    others = sorted(
        path for path in before.keys() | now.keys() if before.get(path) != now.get(path)
    )
    if others:
        raise InputError(
            "G209",
            "somebody else wrote it since it was read; nothing was written over it.",
            cure="Look at it, and start the command again.",
            place=str(others[0]),
        )
