"""Files: read with a cap, written whole or not at all, and locked by the kernel."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.scratch import temporary_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

CAP_BYTES = {
    "profile": 1 << 20,
    "job": 1 << 20,
    "summary": 1 << 20,
    "kernel config": 4 << 20,
    "calibration": 16 << 20,
    "baseline": 64 << 20,
    "session": 64 << 20,
    "handover": 64 << 20,
}
"""Largest file of each kind that is read."""


def read_text(path: Path, kind: str) -> str:
    """The UTF-8 text of a regular file, not above the cap of its kind.

    Raises:
        InputError: G201 not readable, G202 too large, G203 not UTF-8.
    """
    try:
        # Non-blocking, so that a named pipe in the way is refused and not waited for.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _unreadable(path, _why(error)) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _unreadable(path, "not a regular file")
    with os.fdopen(handle, "rb") as stream:
        cap = CAP_BYTES.get(kind, CAP_BYTES["session"])
        try:
            raw = stream.read(cap + 1)
        except OSError as error:
            raise _unreadable(path, _why(error)) from error
    if len(raw) > cap:
        raise InputError(
            "G202",
            f"the file is larger than {cap >> 20} MiB, the cap for a {kind}.",
            cure="Hand in the right file.",
            place=str(path),
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            "G203",
            f"byte {error.start} is not UTF-8 text.",
            cure=f"Hand in a {kind} file; this one looks binary or uses another encoding.",
            place=f"{path}:{line}",
        ) from error


def is_absent(path: Path) -> bool:
    """Whether there is nothing at a path: not even a link to nothing, which is a mistake.

    Raises:
        InputError: G201, nothing could ever be there.
    """
    try:
        path.lstat()
    except FileNotFoundError:
        return True
    except (OSError, ValueError) as error:
        raise _unreadable(path, _why(error)) from error
    return False


def is_missing(path: Path | str) -> bool:
    """Whether nothing is at a path; what cannot be looked at is there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def write_text(path: Path, text: str, *, lasting: bool = True) -> None:
    """Replace a file in one step: temporary file beside it, fsync, rename.

    Where it need not be `lasting`, a crash of the machine may bring back what stood there before,
    as whole as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary_beside(path) as (handle, temporary):
            # Open until it has its name: as long it is locked, and nobody takes it for a left one.
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
                Path(temporary).chmod(0o666 & ~_umask())
                Path(temporary).replace(path)
            if lasting:
                sync_directory(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error


def remove(path: Path) -> None:
    """Remove a file; one that is gone already is as good."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def sync_directory(directory: Path) -> None:
    """Make a rename or a removal last; where the file system cannot, what it did is whole."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _why(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _unreadable(path: Path, why: str) -> InputError:
    return InputError("G201", f"cannot be read: {why}.", cure="Check the path.", place=str(path))


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        "G208",
        f"cannot be written: {_why(error)}.",
        cure="Check permissions and free space, or name another directory.",
        place=str(path),
    )


@contextmanager
def opened_directory(directory: Path, refused: str, cure: str = "") -> Iterator[int]:
    """A directory, made where there is none, opened to be locked; closing it ends the lock."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        message = f"{refused}: {error.strerror}."
        raise InputError("G208", message, cure=cure, place=str(directory)) from error
    try:
        yield handle
    finally:
        os.close(handle)


# A killed gate's forked child holds what its parent held until the kernel ends it too.
_LAST_BREATH = 0.5
_STEP = 0.01


def hold(handle: int) -> None:
    """Lock an open file for this process; the lock ends with it.

    Raises:
        BlockingIOError: another process holds it, and went on to for half a second.
        OSError: the file cannot be locked.
    """
    until = time.monotonic() + _LAST_BREATH
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
            time.sleep(_STEP)
        else:
            return
