"""What is told of the extra runs of a regression, and of which regressions they are taken.

Which counters moved with a regression: ranked by how far the sides lie apart for their noise.

    score = |median(head) - median(base)| / (spread + counting + 1 % of the larger median)

*spread* is the larger of both sides' ranges (largest run less smallest). *counting* is what chance
alone does to a number of events, its square root. The last part keeps a counter that repeats
exactly from standing above one that moved: a score is at most 100, and a counter that moved by 2 %
or less is never told. Events are divided by the operations of their run, else by its seconds.

Three runs of a side are few. Where nothing differs and noise is normal, a counter scores 2 or more
with a probability of 0.5 % (simulated; 0.2 % at a noise of 5 %), and a hundred are compared, most
of which move together: a row may be chance. It is a hint where to look and no part of a verdict.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.context.flame import flame_of
from gate.model import UNTIMED, Role, Side, SubjectKind, Verdict
from gate.model.diagnosis import MOST_MOVERS, Mover, Why, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gate.model import Profile, Report
    from gate.model.diagnosis import ExtraRun, ExtraRuns, Folded


LEAST_RUNS = 2
"""Of each side, below which nothing is known of the noise."""
LEAST_SCORE = 2.0
SECOND = "second"
"""What is divided by where operations are not told."""
_REPEATS = 0.01
_LEAST = {"1": 30.0, "s": 0.01, "B": 30 * 512.0}
"""What a counter must have grown by in the median run of one side, by unit."""
_EVENT = {"1": 1.0, "s": 0.001, "B": 512.0}
"""What counts as one event of a unit, for what chance alone does."""


def per_of(runs: Sequence[ExtraRun], word: str) -> str:
    """What counters are divided by: operations where every run tells them, else seconds."""
    return word if runs and all(run.operations for run in runs) else SECOND


def movers(runs: Sequence[ExtraRun], *, by_operation: bool = True) -> tuple[tuple[Mover, ...], int]:
    """The counters that moved most, and how many were compared.

    First those that also grew faster or slower in a second. The others moved only because an
    operation takes longer: they are as likely its effect as its cause.
    """
    base = [run for run in runs if run.side is Side.BASE]
    head = [run for run in runs if run.side is Side.HEAD]
    if min(len(base), len(head)) < LEAST_RUNS:
        return (), 0
    divisor = _operations if by_operation else _seconds
    found, compared = [], 0
    for name in dict.fromkeys(name for run in runs for name in run.counts):
        if not _enough(name, base, head):
            continue
        compared += 1
        score = _score(name, base, head, divisor)
        if score >= LEAST_SCORE:
            longer = by_operation and _score(name, base, head, _seconds) < LEAST_SCORE
            found.append(_mover(name, base, head, divisor, score, longer=longer))
    found.sort(key=lambda one: (one.longer, -one.score, one.counter))
    return tuple(found[:MOST_MOVERS]), compared


def _operations(run: ExtraRun) -> float:
    return run.operations or 1.0


def _seconds(run: ExtraRun) -> float:
    return max(run.seconds, 1e-6)


def _enough(name: str, base: Sequence[ExtraRun], head: Sequence[ExtraRun]) -> bool:
    return _raw(name, base, head) >= _LEAST[unit_of(name)]


def _raw(name: str, base: Sequence[ExtraRun], head: Sequence[ExtraRun]) -> float:
    """How much a counter grew in the median run of the side where it grew more."""
    return max(median(run.counts.get(name, 0.0) for run in side) for side in (base, head))


def _score(
    name: str,
    base: Sequence[ExtraRun],
    head: Sequence[ExtraRun],
    divisor: Callable[[ExtraRun], float],
) -> float:
    sides = [[run.counts.get(name, 0.0) / divisor(run) for run in side] for side in (base, head)]
    before, after = map(median, sides)
    level = max(before, after)
    spread = max(max(side) - min(side) for side in sides)
    counting = level / math.sqrt(_raw(name, base, head) / _EVENT[unit_of(name)])
    return abs(after - before) / (spread + counting + _REPEATS * level)


def _mover(
    name: str,
    base: Sequence[ExtraRun],
    head: Sequence[ExtraRun],
    divisor: Callable[[ExtraRun], float],
    score: float,
    *,
    longer: bool,
) -> Mover:
    before, after = (
        median(run.counts.get(name, 0.0) / divisor(run) for run in side) for side in (base, head)
    )
    return Mover(
        counter=name, unit=unit_of(name), base=before, head=after, score=score, longer=longer
    )


MOST_BENCHMARKS = 3
"""Regressed benchmarks that extra runs are taken of."""
_NEVER = UNTIMED | {"replay"}
"""Harnesses that measure no machine, or tell the functions themselves."""


class DiagnosisTarget(NamedTuple):
    """A regressed benchmark, and the one to be run for it: a point, where it is a curve."""

    profile: str
    benchmark: str


def targets(report: Report, profiles: Mapping[str, Profile]) -> tuple[DiagnosisTarget, ...]:
    """The worst regressed benchmarks that both sides can run again, each once.

    Of a curve that regressed it is the last point, where most curves bend.
    """
    found: dict[DiagnosisTarget, None] = {}
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
            found[
                DiagnosisTarget(profile.name, known.members[-1] if known.group else known.name)
            ] = None
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
