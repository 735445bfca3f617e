"""Who holds the kernel's lock (flock) on an open file: what /proc says, whatever the file says."""

from __future__ import annotations

import os
import re
from pathlib import Path

_LOCK = re.compile(r"\d+: FLOCK +\S+ +\S+ (-?\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) ")


def flock_owner(handle: int) -> int:
    """The process that took the lock on a file; 0 where that is not known here.

    It may be gone: a child that inherited the open file holds the lock on.
    """
    seen = os.fstat(handle)
    try:
        rows = Path("/proc/locks").read_text("ascii")
    except OSError:
        return 0
    found = [one for one in _LOCK.findall(rows) if int(one[3]) == seen.st_ino]
    # Some file systems show users another device than the kernel's own: the inode must do.
    device = (os.major(seen.st_dev), os.minor(seen.st_dev))
    exact = [one for one in found if (int(one[1], 16), int(one[2], 16)) == device]
    return max((int(one[0]) for one in (exact or found)), default=0)


def flock_heirs(handle: int) -> list[int]:
    """Processes whose open files hold the lock, but for this one; those that may be looked at."""
    seen = os.fstat(handle)
    return [
        int(one.name)
        for one in os.scandir("/proc")
        if one.name.isdigit() and int(one.name) != os.getpid() and _holds(one.path, seen)
    ]


def _holds(process: str, seen: os.stat_result) -> bool:
    try:
        with os.scandir(f"{process}/fd") as handles:
            same = [one.name for one in handles if os.path.samestat(one.stat(), seen)]
        infos = [Path(f"{process}/fdinfo/{name}").read_text("ascii") for name in same]
    except OSError:
        return False  # gone meanwhile, or of another user
    return any("FLOCK" in info for info in infos)
