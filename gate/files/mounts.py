"""What is mounted inside a directory: a way out of it that its own path does not show."""

from __future__ import annotations

import os
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def mounts_below(directory: str) -> tuple[str, ...]:
    """Mount points inside a directory, whose path holds no link; none where nobody can tell."""
    try:
        rows = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    # proc(5): the fifth field is the mount point.
    places = (_plain(row.split(" ", 5)[4]) for row in rows if row.count(" ") >= 5)  # noqa: PLR2004
    return tuple(place for place in places if place.startswith(f"{directory}{os.sep}"))


def _plain(text: str) -> str:
    for escaped, character in _ESCAPED.items():
        text = text.replace(escaped, character)
    return text
