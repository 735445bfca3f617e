"""The texts of profiles that a change edits, as a reader of the report sees them: unified diffs.

Both texts were written out of their trees as plain files; that of the change may be a stranger's.
"""

from __future__ import annotations

import difflib
import posixpath
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gate.model import TextChange
from gate.review.repository_layout import named_files
from gate.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gate.review.repository_layout import Layout
    from gate.review.terms import Terms

MOST_FILES = 100
MOST_LINES = 200
LINES_IN_ALL = 1000
LONGEST_LINE = 300
COMPARED_IN_ALL = 4000
"""Lines of all texts together: a stranger's may be made so that each takes seconds."""
_LARGEST = 256 << 10
"""Bytes of a text that is compared; what profiles name may be as large as replayed values."""
_MOST_COMPARED = 2000
"""Lines of a text that are compared: finding what moved takes time by their square."""
_CONTEXT = 3
_HEADS = 2
"""Lines that a unified diff begins with, which name the files."""


class _Edited(NamedTuple):
    """A text that differs; a side is None where it is not there."""

    name: str
    was: bytes | None
    now: bytes | None

    @property
    def compared(self) -> int:
        """How many lines it takes to compare it."""
        if self._large:
            return 0
        return min(max(len(_lines(raw)) for raw in (self.was, self.now)), _MOST_COMPARED)

    @property
    def _large(self) -> bool:
        return max(len(self.was or b""), len(self.now or b"")) > _LARGEST

    def diff(self) -> tuple[list[str], int]:
        """What a reader sees of it, and how many lines were not even compared."""
        if self._large:
            return [f"@ too large to be compared here: more than {_LARGEST >> 10} KiB"], 0
        old, new = _lines(self.was), _lines(self.now)
        diff = difflib.unified_diff(
            old[:_MOST_COMPARED], new[:_MOST_COMPARED], n=_CONTEXT, lineterm=""
        )
        lines = [_printable(line) for line in islice(diff, _HEADS, None)]
        return lines, max(0, max(len(old), len(new)) - _MOST_COMPARED)


def changed_profiles(
    layout: Layout, before: tuple[Path, Terms], after: tuple[Path, Terms]
) -> tuple[TextChange, ...]:
    """Profiles, and the jobs and scripts that they name, whose text a change edits, by path.

    `before` and `after` are where each tree was written out, and what it says. Nothing can be said
    of the texts of a tree that could not be read.
    """
    if ("tree",) in after[1].unread:
        return ()
    names = sorted({name for side in (before, after) for name in _names(layout, *side)})
    texts = (_Edited(name, _raw(before[0] / name), _raw(after[0] / name)) for name in names)
    differing = (one for one in texts if one.was != one.now)
    edited, further = list(islice(differing, MOST_FILES)), sum(1 for _ in differing)
    to_compare, to_show = COMPARED_IN_ALL, LINES_IN_ALL
    found: dict[str, TextChange] = {}
    # The shortest first: one long text shall not use up what all others need.
    for one in sorted(edited, key=lambda one: (one.compared, one.name)):
        if one.compared <= to_compare:
            to_compare -= one.compared
            lines, more = one.diff()
        else:
            lines, more = [f"@ not compared here: texts of {COMPARED_IN_ALL} lines were"], 0
        shown = lines[: min(MOST_LINES, to_show)]
        to_show -= len(shown)
        found[one.name] = TextChange(
            name=_printable(one.name), lines=tuple(shown), more=len(lines) - len(shown) + more
        )
    rest = (TextChange(name=f"{further} further files", lines=()),) if further else ()
    return (*(found[name] for name in sorted(found)), *rest)


def _names(layout: Layout, root: Path, terms: Terms) -> Iterator[str]:
    """Paths from the top of every profile of a tree, and of what it names."""
    for path in (root / layout.profiles).glob("*.toml"):
        yield f"{layout.profiles}/{path.name}"
    yield from named_files(root, layout)
    for profile in terms.profiles.values():
        for name in profile.input_files:
            yield posixpath.join(posixpath.dirname(layout.profiles), name)


def _raw(path: Path) -> bytes | None:
    """A file's bytes, one more than are compared at most; None where there is none."""
    try:
        with path.open("rb") as stream:
            return stream.read(_LARGEST + 1)
    except (OSError, ValueError):
        return None


def _lines(raw: bytes | None) -> list[str]:
    """Lines without their ends; that a file ends in the middle of one is a line too."""
    if not raw:
        return []
    lines = raw.decode("utf-8", "replace").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines, "\\ the last line has no end"]


def _printable(line: str) -> str:
    """A line that can be shown: what controls a terminal, or is not seen, is replaced."""
    return printable(line.expandtabs(4)[:LONGEST_LINE], "\N{REPLACEMENT CHARACTER}")
