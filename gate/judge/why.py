"""What is told of the extra runs of a regression, and of which regressions they are taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.flame import flame_of
from gate.judge.movers import LEAST_RUNS, SECOND, movers, per_of
from gate.model import UNTIMED, Role, Side, SubjectKind, Verdict
from gate.model.why import Why

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.model import Profile, Report
    from gate.model.extra import ExtraRuns, Folded

MOST_BENCHMARKS = 3
"""Regressed benchmarks that extra runs are taken of."""
_NEVER = UNTIMED | {"replay"}
"""Harnesses that measure no machine, or tell the functions themselves."""


class Target(NamedTuple):
    """A regressed benchmark, and the one to be run for it: a point, where it is a curve."""

    profile: str
    benchmark: str


def targets(report: Report, profiles: Mapping[str, Profile]) -> tuple[Target, ...]:
    """The worst regressed benchmarks that both sides can run again, each once.

    Of a curve that regressed it is the last point, where most curves bend.
    """
    found: dict[Target, None] = {}
    for one in report.findings:
        profile = profiles.get(one.profile)
        proven = one.verdict is Verdict.REGRESSED and one.role is Role.GATE
        if profile is None or not proven or profile.harness in _NEVER:
            continue
        # What is counted out here is the emulator, or each run would be a restart of the machine.
        if profile.subject.kind is SubjectKind.KERNEL:
            continue
        if not {"base", "head"} <= profile.sides.keys():
            continue
        known = {own.name: own for own in profile.benchmarks}.get(one.benchmark)
        if known is not None:
            found[Target(profile.name, known.members[-1] if known.group else known.name)] = None
    return tuple(found)[:MOST_BENCHMARKS]


def why_of(runs: ExtraRuns, folded: Mapping[Side, Folded]) -> Why:
    """What moved in the extra runs of one benchmark."""
    per = per_of((*runs.runs, *(one.run for one in folded.values())), runs.word)
    moved, compared = movers(runs.runs, by_operation=per != SECOND)
    sides = [run.side for run in runs.runs]
    counted = sides.count(Side.BASE), sides.count(Side.HEAD)
    flame = None
    notes = list(runs.notes)
    if len(folded) == len(Side):
        flame = flame_of(folded[Side.BASE], folded[Side.HEAD], by_operation=per != SECOND)
        if flame is None:
            notes.append("perf saw no work on one of the sides")
    if min(counted) < LEAST_RUNS:
        notes.append(f"{LEAST_RUNS} runs of each side are needed to tell what moved from noise")
    return Why(
        profile=runs.profile,
        benchmark=runs.benchmark,
        per=per,
        runs_base=counted[0],
        runs_head=counted[1],
        compared=compared,
        movers=moved,
        flame=flame,
        notes=tuple(notes),
    )


def with_why(report: Report, found: Iterable[Why]) -> Report:
    """The report with what moved with its regressions; of anything else nothing is told.

    It may come from another machine: a benchmark that the report does not know has no place.
    """
    known = {(one.profile, one.benchmark) for one in report.findings}
    regressed = {one.profile for one in report.findings if one.verdict is Verdict.REGRESSED}
    told: dict[tuple[str, str], Why] = {}
    for one in found:
        place = (one.profile, one.benchmark)
        if place in known and one.profile in regressed:
            told.setdefault(place, one)
    return replace(report, why=tuple(told.values())[:MOST_BENCHMARKS])
