"""The kernel's lock on an open file, taken without waiting for a holder that lives."""

from __future__ import annotations

import fcntl
import time

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
