"""One measurement at a time: two on one host would disturb each other.

The lock is the kernel's (flock), so it is free as soon as its holder is gone, however it went.
What the file says of the holder is only for people, and is believed as far as it can be checked.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import CannotJudge, InputError
from gate.files.holding import hold
from gate.host.holder import Holder, this_process
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Pause = Callable[[float], None]
    Tell = Callable[[str], None]

_LOOK = 1.0
"""Seconds between two tries of one that waits; in between it sleeps, and disturbs nobody."""
_TOLD = 60.0
"""Seconds after which waiting is told again."""
_TIDYING, _STEP = 10.0, 0.05
"""Seconds that a killed gate's guardian may take, and between two looks at it."""
_LARGEST = 4096


def lock_path() -> Path:
    """Where the lock stands: for all users of the host."""
    shared = Path("/run/lock")
    return (
        shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())
    ) / "driftgate.lock"


@contextmanager
def exclusive(
    path: Path | None = None,
    *,
    wait: float = 0.0,
    tell: Tell | None = None,
    pause: Pause = time.sleep,
) -> Iterator[int]:
    """Hold the host's measuring lock; the kernel frees it when the holder dies.

    Gives the open file, which a guardian may hold on to a moment longer.

    `wait` is how many seconds to wait for it at most, 0 for not at all; `tell` is told whom we
    wait for, and `pause` sleeps and may be interrupted by whatever it raises.

    Raises:
        CannotJudge: G240, another process holds it; the message says which.
        InputError: G208, the lock's file cannot be opened.
    """
    place = path or lock_path()
    try:
        handle = _open(place)
    except OSError as error:
        raise _unusable(place, error) from error
    try:
        _take(handle, place, _Patience(wait, tell or _silent, pause))
        try:
            yield handle
        finally:
            # Nobody who comes in between the next holder's lock and its name shall read ours.
            with suppress(OSError):
                os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _silent(text: str) -> None:
    del text


def _open(place: Path) -> int:
    """Open the lock of whoever made it; the kernel may forbid O_CREAT on another user's file."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(place, flags)
    except FileNotFoundError:
        handle = os.open(place, flags | os.O_CREAT, 0o666)
        os.fchmod(handle, 0o666)  # for all users, whatever this one's umask
        return handle


class _Patience:
    """How long one waits, and what is told meanwhile."""

    def __init__(self, seconds: float, tell: Tell, pause: Pause) -> None:
        self.seconds, self._tell, self._pause = seconds, tell, pause
        self._began = time.monotonic()
        self._told, self._told_at = "", self._began

    def sleep(self, who: str) -> bool:
        """Sleep a moment; False if there is no time left for it."""
        now = time.monotonic()
        left = self._began + self.seconds - now
        if left <= 0:
            return False
        if who != self._told or now - self._told_at >= _TOLD:
            self._tell(f"waiting: {who}; {show_duration(left)} left")
            self._told, self._told_at = who, now
        self._pause(min(_LOOK, left))
        return True


def _take(handle: int, place: Path, patience: _Patience) -> None:
    try:
        if not _held(handle, patience):
            raise _busy(handle, place, patience.seconds)
        os.ftruncate(handle, 0)
        os.pwrite(handle, this_process().text().encode(), 0)
    except OSError as error:
        raise _unusable(place, error) from error


def _held(handle: int, patience: _Patience) -> bool:
    """Whether the lock was had in time."""
    try:
        hold(handle)
    except BlockingIOError:
        if _inherited(handle):
            return True
        while patience.sleep(_holder(handle).shown()):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            return True
        return False
    return True


def _inherited(handle: int) -> bool:
    """Whether the lock was had from the guardian of a killed gate, which tidies up after it."""
    until = time.monotonic() + _TIDYING
    while _holder(handle).gone and time.monotonic() < until:
        time.sleep(_STEP)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        return True
    return False


def _holder(handle: int) -> Holder:
    return Holder.read(os.pread(handle, _LARGEST, 0))


def _busy(handle: int, place: Path, waited: float) -> CannotJudge:
    since = f", and did so for the {show_duration(waited)} that were waited" if waited else ""
    return CannotJudge(
        "G240",
        f"{_holder(handle).shown()}{since}.",
        cure="Wait until it has ended, or let the gate wait: --wait '10 min'.",
        place=str(place),
    )


def _unusable(place: Path, error: OSError) -> InputError:
    return InputError(
        "G208",
        f"the measuring lock cannot be taken: {error.strerror}.",
        cure="Make the file writable for everybody who measures here, or remove it.",
        place=str(place),
    )
