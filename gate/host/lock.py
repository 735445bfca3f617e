"""One measurement at a time: two on one host would disturb each other."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import CannotJudge, InputError
from gate.files.holding import hold

if TYPE_CHECKING:
    from collections.abc import Iterator


def lock_path() -> Path:
    """Where the lock stands: for all users of the host."""
    shared = Path("/run/lock")
    return (
        shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())
    ) / "driftgate.lock"


def _open(place: Path) -> int:
    """Open the lock of whoever made it; the kernel may forbid O_CREAT on another user's file."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(place, flags)
    except FileNotFoundError:
        handle = os.open(place, flags | os.O_CREAT, 0o666)
        os.fchmod(handle, 0o666)  # for all users, whatever this one's umask
        return handle


@contextmanager
def exclusive(path: Path | None = None) -> Iterator[None]:
    """Hold the host's measuring lock; the kernel frees it when the holder dies.

    Raises:
        CannotJudge: G240, another process holds it; the message names its number.
        InputError: G208, the lock's file cannot be opened.
    """
    place = path or lock_path()
    try:
        handle = _open(place)
    except OSError as error:
        raise _unusable(place, error) from error
    try:
        _take(handle, place)
        yield
    finally:
        os.close(handle)


def _take(handle: int, place: Path) -> None:
    try:
        hold(handle)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except BlockingIOError as error:
        holder = os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"
        raise CannotJudge(
            "G240",
            f"process {holder} measures on this host.",
            cure="Wait until it has ended; two measurements at once disturb each other.",
            place=str(place),
        ) from error
    except OSError as error:
        raise _unusable(place, error) from error


def _unusable(place: Path, error: OSError) -> InputError:
    return InputError(
        "G208",
        f"the measuring lock cannot be taken: {error.strerror}.",
        cure="Make the file writable for everybody who measures here, or remove it.",
        place=str(place),
    )
