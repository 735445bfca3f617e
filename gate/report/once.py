"""What a page has said already: a long sentence is told once, and later only where it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gate.report.commands import LONGER, REPRODUCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.report.commands import Command

_PAIRS = re.compile(r" (--pairs \d+)")


class Brief(NamedTuple):
    """A command among others of its kind on one page."""

    label: str
    line: str
    """Empty where there is none, or where the text says it."""
    why: str
    above: str
    """The place where its text stands; empty where it is told here."""


class Once:
    """Sentences and the places where they stand, in the order of the page."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], str] = {}

    def above(self, what: str, text: str, here: str) -> str:
        """The place above where this was told of the same thing; empty where it is told now."""
        place = self._told.setdefault((what, text), here)
        return "" if place == here else place

    def commands(self, some: Sequence[Command], here: str) -> Iterator[Brief]:
        """The commands of a finding without what was said of them above.

        A longer check is told as what it adds to the line that reproduces the finding.
        """
        lines = {one.label: one.line for one in some}
        for one in some:
            above = self.above(one.label, one.why, here) if one.why else ""
            more = _PAIRS.search(one.line) if one.label == LONGER else None
            if more and one.line.replace(more[0], "", 1) == lines.get(REPRODUCE):
                why = f"The same with `{more[1]}` at its end. {'' if above else one.why}".rstrip()
                yield Brief(one.label, "", why, "")
            elif one.line:
                yield Brief(one.label, one.line, "" if above else one.why, "")
            else:
                yield Brief(one.label, "", one.why, above)
