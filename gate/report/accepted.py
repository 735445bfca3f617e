"""The accepted sessions that findings are compared with, told once for each profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.numbers import short_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Accepted, Report

_DAY, _COMMIT = 10, 12


class Session(NamedTuple):
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
    rows: tuple[Session, ...]


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
    alike: dict[tuple[Session, ...], list[str]] = {}
    for profile, sessions in known.items():
        alike.setdefault(tuple(_rows(profile, sessions, epochs)), []).append(profile)
    return tuple(Sessions(tuple(profiles), rows) for rows, profiles in alike.items())


def _rows(
    profile: str, sessions: dict[str, Accepted | None], epochs: dict[tuple[str, str], int]
) -> Iterator[Session]:
    short = short_names(sessions)
    before = ""
    for name, one in sessions.items():
        whole = name.endswith(short[name])
        why = f"by {one.by}: {one.reason}" if one else ""
        when = f"{one.accepted[:_DAY]} {why if why != before else ''}".rstrip() if one else ""
        moved = f"the host: {', '.join(one.moved)}" if one and one.moved else ""
        yield Session(
            before=name.removesuffix(short[name]) if whole else name,
            short=short[name] if whole else "",
            epoch=str(epochs.get((profile, name)) or ""),
            day=one.started[:_DAY] if one else "",
            commit=one.commit[:_COMMIT] if one else "",
            accepted="; ".join(filter(None, (when, moved))),
        )
        before = why
