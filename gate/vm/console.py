"""What a guest's console tells of a kernel that failed: the lines to quote."""

from __future__ import annotations

import re

_LONGEST = 160
_QUOTED = 3
_STAMP = re.compile(r"^\[\s*\d+\.\d+\]\s*(?:\[\s*[TC]\d+\]\s*)?")
_FAULTS = {
    "panicked": (r"Kernel panic - not syncing",),
    "has a fault of its own": (
        *(
            r"\bBUG: (?!KASAN|KFENCE|sleeping function)",
            r"\bOops: ",
            r"\bkernel BUG at\b",
            r"general protection fault",
        ),
        *(r"Unable to handle kernel", r"\bUBSAN: "),
    ),
    "found a fault of memory": (r"\bBUG: KASAN", r"\bBUG: KFENCE", r"\bKCSAN: "),
    "found a fault of locking": (
        *(r"possible circular locking", r"possible recursive locking", r"bad unlock balance"),
        *(r"inconsistent lock state", r"suspicious RCU usage", r"BUG: sleeping function"),
    ),
    "stalled": (
        *(r"\brcu.*\bstall", r"soft lockup", r"hard LOCKUP", r"blocked for more than \d+ seconds"),
    ),
    "warned": (r"^WARNING: ",),
}
"""What a kernel does, by what it prints: lib/bug, kernel/{panic,rcu,locking,watchdog,hung_task},
mm/kasan of Linux 5.4 to 7.2."""
_PATTERNS = tuple((name, re.compile("|".join(some))) for name, some in _FAULTS.items())


def fault_of(console: str) -> str:
    """What a kernel did and the lines that say so; empty where its console tells of no fault.

    A panic is told before what led to it, and the first of each kind is quoted.
    """
    lines = [_plain(line) for line in console.splitlines()]
    for name, pattern in _PATTERNS:
        at = next((n for n, line in enumerate(lines) if pattern.search(line)), None)
        if at is not None:
            return f"the kernel {name}: {_quoted(lines[at : at + _QUOTED])}"
    return ""


def last_lines(console: str) -> str:
    """The last that was said."""
    lines = [line for line in map(_plain, console.splitlines()) if line]
    return _quoted(lines[-_QUOTED:])


def _plain(line: str) -> str:
    return "".join(c for c in _STAMP.sub("", line.strip()) if c.isprintable())


def _quoted(lines: list[str]) -> str:
    return " / ".join(line[:_LONGEST] for line in lines if line)
