"""Which process is meant: a number comes again, a number with its start time does not.

CPU time of kernel threads, by name. Read before and after a trial, never during one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gate.linux.proc_stat import TICK


def born(process: int) -> str:
    """When a process started, in clock ticks since boot; empty for one that has ended.

    One that was killed and that nobody has waited for yet has ended, too.
    """
    try:
        text = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    words = text.rpartition(")")[2].split()
    return "" if words[0] in {"Z", "X", "x"} else words[19]


def lives(process: int, start: str) -> bool:
    """Whether the process that started then still runs."""
    return bool(start) and born(process) == start


def own_mark() -> str:
    """This process, as no other of this boot: its number and its start."""
    return f"{os.getpid()}-{born(os.getpid())}"


_PF_KTHREAD = 0x00200000
_NUMBERED = re.compile(r"[:\d].*")
"""Where the name of a thread ends and its number begins."""


@dataclass(frozen=True, slots=True)
class Thread:
    """One kernel thread at one moment."""

    name: str
    """Without numbers."""
    seconds: float
    """CPU time since it was made."""


Threads = dict[tuple[int, str], Thread]
"""By number and start time: a number comes again, both do not."""


def read_kthreads(root: Path = Path("/proc")) -> Threads:
    """Every kernel thread now; none where /proc cannot be read."""
    found: Threads = {}
    try:
        numbers = [entry.name for entry in root.iterdir() if entry.name.isdigit()]
    except OSError:
        return found
    for number in numbers:
        place = root / number
        try:
            text = (place / "stat").read_text("utf-8", "replace")
            name, _, rest = text.partition("(")[2].rpartition(")")
            words = rest.split()
            if not int(words[6]) & _PF_KTHREAD:
                continue
            ticks = (int(words[11]) + int(words[12])) * TICK
            found[int(number), words[19]] = Thread(base_name(name), _exact(place, ticks))
        except (OSError, ValueError, IndexError):
            continue  # gone meanwhile
    return found


def _exact(place: Path, ticks: float) -> float:
    """Nanoseconds where the scheduler tells them, else what the ticks say."""
    try:
        return int((place / "schedstat").read_bytes().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return ticks


def base_name(name: str) -> str:
    """The name without numbers: `kworker/0:1-events` is `kworker`, `loop0` is `loop`.

    A digit before a slash belongs to the name, as in `jbd2/sda1-8`.
    """
    head, slash, _ = name.partition("/")
    return (head if slash else _NUMBERED.sub("", name)).rstrip("-_.") or name


def kthread_seconds(before: Threads, after: Threads) -> dict[str, float]:
    """Seconds that each name used in between; a thread that ended meanwhile is not counted."""
    used: dict[str, float] = {}
    for key, thread in after.items():
        known = before.get(key)
        seconds = thread.seconds - (known.seconds if known else 0.0)
        if seconds > 0:
            used[thread.name] = used.get(thread.name, 0.0) + seconds
    return used
