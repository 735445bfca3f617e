"""Facts of a machine that are not what they were: which, and how that is said in one line."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gate.model.host import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LONG = 40
"""Characters above which only the parts of a value that differ are shown."""
_LONGEST = 120
"""Characters of one side that are shown at most."""
_GAP = "…"


class Moved(NamedTuple):
    """One fact that two sides tell differently; `unknown` where a side does not tell it."""

    key: str
    theirs: str
    """What was recorded before: in `host.toml`, or in an accepted session."""
    ours: str

    def __str__(self) -> str:
        """`microcode 0x1 -> 0x2`; of long values only what differs."""
        theirs, ours = self.shown
        return f"{self.key} {theirs} -> {ours}"

    @property
    def shown(self) -> tuple[str, str]:
        """Both values, of long ones only the parts that the other side lacks."""
        if max(len(self.theirs), len(self.ours)) <= _LONG:
            return self.theirs, self.ours
        if UNKNOWN in {self.theirs, self.ours}:
            return _cut(self.theirs), _cut(self.ours)
        glue = next((one for one in ("; ", ", ") if one in self.theirs + self.ours), " ")
        before, now = (re.split(rf"{glue}\s*", value) for value in (self.theirs, self.ours))
        gone, come = _beyond(before, now), _beyond(now, before)
        if not gone and not come:
            return "one order", "another order"
        if len(gone) == len(before) and len(come) == len(now):
            return _cut(self.theirs), _cut(self.ours)
        return _only(gone, glue), _only(come, glue)


def moved(theirs: Mapping[str, str], ours: Mapping[str, str]) -> tuple[Moved, ...]:
    """The facts that differ, by key; a fact that one side lacks is `unknown` there."""
    return tuple(
        Moved(key, before, now)
        for key in sorted(theirs.keys() | ours.keys())
        if (before := theirs.get(key, UNKNOWN)) != (now := ours.get(key, UNKNOWN))
    )


def told(facts: Iterable[Moved]) -> str:
    """Every fact that moved, in one line."""
    return "; ".join(map(str, facts))


def _beyond(these: list[str], those: list[str]) -> list[str]:
    """The parts of one value that the other has not, or has less often, in order."""
    spare = Counter(those)
    found = []
    for part in these:
        spare[part] -= 1
        if spare[part] < 0:
            found.append(part)
    return found


def _only(parts: list[str], glue: str) -> str:
    return _cut(f"{_GAP} {glue.join(parts)} {_GAP}") if parts else _GAP


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}{_GAP}"
