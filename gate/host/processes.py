"""Which process is meant: a number comes again, a number with its start time does not."""

from __future__ import annotations

import os
from pathlib import Path


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
