"""What a pull request may do, and what must come of it: one table for both shapes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workflows.users import CRASHES, PROFILE, SLOWER

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A change to acme/tool, and what the gate must say of it."""

    name: str
    files: Mapping[str, str | None]
    gate: str
    verdicts: frozenset[str]
    """Of the report; more than one only where both are right on a loud machine."""
    statuses: frozenset[int]
    shown: tuple[str, ...] = ()
    """Regular expressions that summary and comment hold both."""
    edits: tuple[str, ...] = field(default=())
    """Texts of the report's edits, as regular expressions."""

    def __str__(self) -> str:
        return self.name


_WIDE = PROFILE.replace('tolerance = "50%"', 'tolerance = "500%"')
_FEWER = PROFILE.replace('part = ["parse", "print"]', 'part = ["print"]')
FINE = Scenario(
    name="fine",
    files={"notes.md": "Nothing that is measured.\n"},
    gate="open",
    verdicts=frozenset({"passed", "improved"}),
    statuses=frozenset({0}),
)
CRASH = Scenario(
    name="crashes",
    files=CRASHES,
    gate="closed",
    verdicts=frozenset({"broken"}),
    statuses=frozenset({4}),
    shown=(r"first.*parse",),
)
SCENARIOS = (
    FINE,
    CRASH,
    Scenario(
        name="is slower and edits its own tolerance",
        files={**SLOWER, "profiles/first.toml": _WIDE},
        gate="closed",
        verdicts=frozenset({"regressed"}),
        statuses=frozenset({10}),
        shown=(r"first.*parse.*cost", r"\b50\s?%.*\b500\s?%"),
        edits=(r"\b50\s?%.*\b500\s?%",),
    ),
    Scenario(
        name="deletes a benchmark",
        files={"profiles/first.toml": _FEWER},
        gate="closed",
        verdicts=frozenset({"missing"}),
        statuses=frozenset({4}),
        shown=(r"first.*parse",),
    ),
    Scenario(
        name="deletes its profile",
        files={"profiles/first.toml": None},
        gate="closed",
        verdicts=frozenset({"missing", "error"}),
        statuses=frozenset({3, 4}),
        shown=(r"first",),
    ),
)
