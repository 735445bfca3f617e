"""What a page says once: its accepted sessions, and long sentences that would be repeated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.numbers import short_names
from gate.report.wording.commands import LONGER, REPRODUCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Accepted, Report
    from gate.report.wording.commands import ShellLine

_DAY, _COMMIT = 10, 12


class AcceptedSessionRow(NamedTuple):
    """One accepted session, ready to print."""

    before: str
    """Of its name, what stands before the part that the tables of findings call it by."""
    short: str
    epoch: str
    day: str
    commit: str
    accepted: str
    """When; by whom and why, where that is not as for the one before; what moved of the host."""


class Sessions(NamedTuple):
    """Those of the profiles that name the very same ones."""

    profiles: tuple[str, ...]
    rows: tuple[AcceptedSessionRow, ...]


def accepted_sessions(report: Report) -> tuple[Sessions, ...]:
    """By profile, in the report's order: those that somebody accepted, and those only named."""
    known: dict[str, dict[str, Accepted | None]] = {}
    epochs: dict[tuple[str, str], int] = {}
    for one in report.accepted:
        known.setdefault(one.profile, {})[one.session] = one
    for finding in report.findings:
        seen, profile = finding.evidence, finding.profile
        epochs.update({(profile, one.session): one.epoch for one in seen.earlier})
        epochs.update({(profile, name): seen.epoch for name in seen.baseline_sessions})
        for name in (*(one.session for one in seen.earlier), *seen.baseline_sessions):
            known.setdefault(profile, {}).setdefault(name, None)
    alike: dict[tuple[AcceptedSessionRow, ...], list[str]] = {}
    for profile, sessions in known.items():
        alike.setdefault(tuple(_rows(profile, sessions, epochs)), []).append(profile)
    return tuple(Sessions(tuple(profiles), rows) for rows, profiles in alike.items())


def _rows(
    profile: str, sessions: dict[str, Accepted | None], epochs: dict[tuple[str, str], int]
) -> Iterator[AcceptedSessionRow]:
    short = short_names(sessions)
    before = ""
    for name, one in sessions.items():
        whole = name.endswith(short[name])
        why = f"by {one.by}: {one.reason}" if one else ""
        when = f"{one.accepted[:_DAY]} {why if why != before else ''}".rstrip() if one else ""
        moved = f"the host: {', '.join(one.moved)}" if one and one.moved else ""
        yield AcceptedSessionRow(
            before=name.removesuffix(short[name]) if whole else name,
            short=short[name] if whole else "",
            epoch=str(epochs.get((profile, name)) or ""),
            day=one.started[:_DAY] if one else "",
            commit=one.commit[:_COMMIT] if one else "",
            accepted="; ".join(filter(None, (when, moved))),
        )
        before = why


_PAIRS = re.compile(r" (--pairs \d+)")


class Brief(NamedTuple):
    """A command among others of its kind on one page."""

    label: str
    line: str
    """Empty where there is none, or where the text says it."""
    why: str
    above: str
    """The place where its text stands; empty where it is printed here."""


class Once:
    """Sentences and the places where they stand, in the order of the page."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], str] = {}

    def above(self, what: str, text: str, here: str) -> str:
        """The place above where the same was said; empty where it is said now."""
        place = self._places.setdefault((what, text), here)
        return "" if place == here else place

    def commands(self, some: Sequence[ShellLine], here: str) -> Iterator[Brief]:
        """Those of a finding without what was said above; of a longer check only what it adds."""
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
