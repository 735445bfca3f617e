"""Mounts as the kernel lists them, and those inside a directory: a way out that no path shows."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

MOUNTINFO = "/proc/self/mountinfo"
_FIELDS, _MORE = 6, 2
"""Fields of a line, at least, before and behind the dash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One line of mountinfo, unescaped."""

    id: str
    parent: str
    device: str
    """`major:minor`; major 0 where the file system has no device of its own."""
    root: str
    point: str
    options: tuple[str, ...]
    """Of this mount and then of the file system."""
    kind: str
    """`ext4`"""
    source: str
    """`/dev/vda1`, or whatever the file system calls it."""

    def option(self, name: str) -> str:
        """The value of `name=value`; empty where there is none."""
        start = f"{name}="
        return next((o.removeprefix(start) for o in self.options if o.startswith(start)), "")


def parsed(mountinfo: str) -> tuple[Mount, ...]:
    """Every mount of a text such as /proc/PID/mountinfo (proc(5)), in the kernel's order."""
    # No splitlines: the kernel escapes blank, tab, newline and backslash, and nothing else.
    found = (_mount(row) for row in mountinfo.split("\n"))
    return tuple(one for one in found if one is not None)


def _mount(text: str) -> Mount | None:
    left, _, right = text.partition(" - ")
    fields, rest = left.split(" "), right.split(" ")
    if len(fields) < _FIELDS or len(rest) < _MORE:
        return None
    options = ",".join((fields[5], *rest[_MORE:]))
    return Mount(
        id=fields[0],
        parent=fields[1],
        device=fields[2],
        root=unescaped(fields[3]),
        point=unescaped(fields[4]),
        options=tuple(unescaped(one) for one in options.split(",") if one),
        kind=rest[0],
        source=unescaped(rest[1]),
    )


def unescaped(text: str) -> str:
    """Blanks and the like are written as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def mounts_below(directory: str) -> tuple[str, ...]:
    """Mount points inside a directory, whose path holds no link; none where nobody can tell."""
    try:
        text = os.fsdecode(Path(MOUNTINFO).read_bytes())
    except OSError:
        return ()
    inside = f"{directory}{os.sep}"
    return tuple(one.point for one in parsed(text) if one.point.startswith(inside))
