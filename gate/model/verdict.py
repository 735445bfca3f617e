"""Verdicts and their order, worst last; a report's verdict is the worst of its findings."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Verdict(StrEnum):
    """The judgement of one metric; members are declared from best to worst."""

    PASSED = "passed"
    IMPROVED = "improved"
    WAIVED = "waived"
    NEW = "new"
    INCONCLUSIVE = "inconclusive"
    SUSPICIOUS = "suspicious"
    INCOMPARABLE = "incomparable"
    MISSING = "missing"
    BROKEN = "broken"
    REGRESSED = "regressed"

    @property
    def rank(self) -> int:
        """Position from best (0) to worst."""
        return _RANK[self]

    @property
    def opens(self) -> bool:
        """Whether this verdict leaves the gate open."""
        return self in _OPEN

    @property
    def exit_status(self) -> int:
        """What a command ends with when this is the worst verdict."""
        return _EXIT_STATUS.get(self, 0)


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}
_EXIT_STATUS = {
    Verdict.NEW: 5,
    Verdict.INCONCLUSIVE: 5,
    Verdict.SUSPICIOUS: 5,
    Verdict.INCOMPARABLE: 5,
    Verdict.MISSING: 4,
    Verdict.BROKEN: 4,
    Verdict.REGRESSED: 10,
}
_OPEN = frozenset({Verdict.PASSED, Verdict.IMPROVED, Verdict.WAIVED})


def join(verdicts: Iterable[Verdict]) -> Verdict | None:
    """The worst verdict, or None where there is none: an empty report has not passed.

    The least upper bound, so joins of joins in any order agree.
    """
    return max(verdicts, key=lambda verdict: verdict.rank, default=None)
