"""One measurement at a time: two on one host would disturb each other.

Where root made the directory /run/lock/driftgate, the file in it is the lock, which nobody else can
exchange. Else there are two files: every user can make the one in /tmp, if nobody did; that in
/run/lock is also seen by those who were given a /tmp of their own. Whoever measures holds each of
the two that is there or that it can make, so any two that share one exclude each other. Beside each
stands a file with the queue of those who wait: first come, first served, and who may not wait never
goes before.

The lock is the kernel's (flock), so it is free as soon as its holder is gone, however it went.
What the file says of the holder is only for people, and is believed as far as it can be checked.
A file with another name somewhere is a lock as good as any, and is not written.
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
import stat
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import CannotJudge, InputError
from gate.formats.disk import hold, is_missing
from gate.host.lock_holder import TIDIED, Holder, this_process
from gate.host.lock_queue import LockQueue, queue_beside
from gate.text import ordinal
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Pause = Callable[[float], None]
    Tell = Callable[[str], None]

_TOLD = 60.0
"""Seconds after which waiting is reported again."""
KILLING = 30.0
"""Seconds in which a killed gate's guardian ends what the gate left; then it restores."""
_TIDYING, _STEP = KILLING + 15.0, 0.05
"""Seconds that the guardian may take for all, and between two looks at it."""

_COMMON = Path("/tmp/driftgate.lock")  # noqa: S108 - opened without following links
"""Never in TMPDIR, which each user may set."""
_SYSTEM = Path("/run/lock/driftgate.lock")
"""In a directory where often only root can make it, and then everybody can open it."""
_ROOTS = Path("/run/lock/driftgate/lock")
"""In a directory of root's (systemd-tmpfiles makes it by cli/systemd/driftgate.conf)."""
_TRIES = 100


def lock_path() -> Path:
    """Where the first lock stands: for all users of the host."""
    return _COMMON


@contextmanager
def exclusive(
    path: Path | None = None,
    *,
    wait: float = 0.0,
    tell: Tell | None = None,
    pause: Pause = time.sleep,
) -> Iterator[int]:
    """Hold the host's measuring lock; the kernel frees it when the holder dies.

    Gives the open file of the first lock, which a guardian may hold on to a moment longer.

    `wait` is how many seconds to wait for it at most, 0 for not at all, `inf` for as long as it
    takes; `tell` prints whom we wait for at which place of the queue, and `pause` sleeps and may
    be interrupted by whatever it raises.

    Raises:
        CannotJudge: G240, another process holds it or is before us; the message says which.
        InputError: G208, the lock's file cannot be opened.
    """
    patience = _Patience(wait, tell or (lambda _: None), pause)
    with ExitStack() as stack:
        held = []
        for place in _usable(_places(path)):
            handle = _taken(place, patience, stack)
            stack.callback(_forget, handle)
            held.append((place, handle))
        try:
            yield held[0][1]
        finally:
            for place in (place for place, handle in held if not _leads_to(place, handle)):
                patience.tell(
                    f"{place} was exchanged while it was held: another gate may have measured "
                    "beside this one"
                )


def anybody_waits(path: Path | None = None) -> bool:
    """Whether somebody waits for a lock that this process holds."""
    for place in _places(path):
        with suppress(OSError), queue_beside(place, _open) as queue:
            if queue.length():
                return True
    return False


def _places(path: Path | None) -> tuple[Path, ...]:
    first = path or lock_path()
    if first != _COMMON:
        return (first,)
    return (_ROOTS,) if _is_roots_alone(_ROOTS) else (first, _SYSTEM)


def _is_roots_alone(place: Path) -> bool:
    """Whether only root can have made a lock, and exchange it."""
    try:
        made = [place.parent.lstat(), place.lstat()]
    except OSError:
        return False
    directory = made[0]
    others = stat.S_IWGRP | stat.S_IWOTH
    own = stat.S_ISDIR(directory.st_mode) and not directory.st_mode & others
    return own and all(one.st_uid == 0 for one in made)


def _forget(handle: int) -> None:
    """Nobody who comes in between the next holder's lock and its name shall read ours."""
    with suppress(OSError):
        _write(handle, b"")


def _write(handle: int, text: bytes) -> None:
    """What the lock's file says; one that has another name is not ours to write."""
    if os.fstat(handle).st_nlink <= 1:
        os.ftruncate(handle, 0)
        os.pwrite(handle, text, 0)


def _leads_to(place: Path, handle: int) -> bool:
    """Whether the path of an open file still leads to it."""
    try:
        return os.path.samestat(place.lstat(), os.fstat(handle))
    except OSError:
        return False


def _usable(places: tuple[Path, ...]) -> list[Path]:
    """The locks that are there or can be made: at least one, and every one that is there."""
    found: list[Path] = []
    lacking: list[InputError] = []
    for place in places:
        try:
            handle = _open(place)
        except OSError as error:
            if not is_missing(place):
                raise _unusable(place, error) from error
            lacking.append(_unusable(place, error))
            continue
        os.close(handle)
        found.append(place)
    if not found:
        raise lacking[0]
    return found


def _open(place: Path) -> int:
    """Open the lock of whoever made it; the kernel may forbid O_CREAT on another user's file."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        handle = os.open(place, flags)
    except FileNotFoundError:
        with suppress(FileExistsError):
            handle = os.open(place, flags | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(handle, 0o666)  # for all users, whatever this one's umask
            return handle
        handle = os.open(place, flags)  # somebody else was faster
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        raise OSError(errno.EPERM, "it is no file of its own", place)
    if found.st_uid == os.geteuid() and found.st_nlink == 1:
        os.fchmod(handle, 0o666)  # whatever made it
    return handle


class _Patience:
    """How long one waits, and what is printed meanwhile."""

    def __init__(self, seconds: float, tell: Tell, pause: Pause) -> None:
        self.seconds, self.tell, self.pause = seconds, tell, pause
        self._began = time.monotonic()
        self._told, self._told_at = "", self._began

    def sleep(self, who: str, seconds: float) -> bool:
        """Sleep a moment; False if there is no time left for it."""
        now = time.monotonic()
        left = self._began + self.seconds - now
        if left <= 0:
            return False
        if who != self._told or now - self._told_at >= _TOLD:
            limit = f"; {show_duration(left)} left" if math.isfinite(left) else ""
            self.tell(f"waiting{who}{limit}")
            self._told, self._told_at = who, now
        self.pause(min(seconds, left))
        return True


def _taken(place: Path, patience: _Patience, stack: ExitStack) -> int:
    """The lock at a path, taken: of the file that stands there then, and of none that was removed.

    Whoever made a file in /tmp can remove it, and the next gate would lock another one.
    """
    for _ in range(_TRIES):
        with ExitStack() as own:
            try:
                handle = _open(place)
            except OSError as error:
                raise _unusable(place, error) from error
            own.callback(os.close, handle)
            _take(handle, place, patience)
            if _leads_to(place, handle):
                stack.push(own.pop_all())
                return handle
    again = OSError(errno.EAGAIN, "somebody removes it again and again")
    raise _unusable(place, again)


def _take(handle: int, place: Path, patience: _Patience) -> None:
    try:
        with queue_beside(place, _open) as queue:
            if not _acquire(handle, queue, patience):
                raise _busy(handle, place, queue, patience)
        _write(handle, this_process().text().encode())
    except OSError as error:  # it may be the queue's file
        raise _unusable(Path(error.filename or place), error) from error


def _busy(handle: int, place: Path, queue: LockQueue, patience: _Patience) -> CannotJudge:
    waited, others = patience.seconds, queue.length()
    since = f", and did so for the {show_duration(waited)} that were waited" if waited else ""
    queued = f"; {others} wait{'s' if others == 1 else ''} for it already" if others else ""
    return CannotJudge(
        "G240",
        f"{Holder.of(handle).description()}{since}{queued}.",
        cure="Wait until it has ended, or let the gate wait: --wait '10 min'.",
        place=str(place),
    )


def _acquire(handle: int, queue: LockQueue, patience: _Patience) -> bool:
    """Take the lock if nobody is before us, else when it is our turn."""
    if not queue.length():
        with suppress(BlockingIOError):
            hold(handle)
            return True
        if _inherited(handle, patience):
            return True
    with queue.joined():
        return _had_in_turn(handle, queue, patience)


def _had_in_turn(handle: int, queue: LockQueue, patience: _Patience) -> bool:
    """Sleep until it is our turn; False if there is no more time while somebody holds the lock.

    Where nobody does, those before us take it in a moment, or are passed.
    """
    while True:
        free = _can_lock(handle, fcntl.LOCK_SH)  # two who look do not see each other
        if free:
            fcntl.flock(handle, fcntl.LOCK_UN)
        if queue.is_my_turn(free=free) and _can_lock(handle, fcntl.LOCK_EX):
            return True
        rest = queue.look_again_in()
        if free:
            patience.pause(rest)
        else:
            place = f", {ordinal(queue.place())} in the queue: {Holder.of(handle).description()}"
            if not patience.sleep(place, rest):
                return False


def _inherited(handle: int, patience: _Patience) -> bool:
    """Whether the lock was had from the guardian of a killed gate, which takes no patience."""
    until = time.monotonic() + _TIDYING
    if Holder.of(handle).gone:
        patience.tell(f"waiting: {TIDIED}; {show_duration(_TIDYING)} at most")
    while Holder.of(handle).gone and time.monotonic() < until:
        time.sleep(_STEP)
        if _can_lock(handle, fcntl.LOCK_EX):
            return True
    return False


def _can_lock(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unusable(place: Path, error: OSError) -> InputError:
    return InputError(
        "G208",
        f"the measuring lock cannot be taken: {error.strerror}.",
        cure="Make the file writable for everybody who measures here, or remove it.",
        place=str(place),
    )
