"""What the extra runs of a regression show: counters that moved, and where the time went.

Counters are ranked by how far the sides lie apart for their noise.

    score = |median(head) - median(base)| / (spread + counting + 1 % of the larger median)

*spread* is the larger of both sides' ranges (largest run less smallest). *counting* is what chance
alone does to a number of events, its square root. The last part keeps a counter that repeats
exactly from standing above one that moved: a score is at most 100, and a counter that moved by 2 %
or less is never named. Events are divided by the operations of their run, else by its seconds.

Three runs of a side are few: where nothing differs and noise is normal, a counter scores 2 or more
with a probability of 0.5 % (simulated; 0.2 % at a noise of 5 %), and a hundred are compared, most
of which move together: a row may be chance. It is a hint where to look and no part of a verdict.

Two folded profiles become one tree with both sides' times, bounded in size. A sample stands for a
piece of CPU time, divided by the operations of its run, so that a run that did more work is not
redder for it. What is too narrow to be seen is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.model import UNTIMED, Role, Side, SubjectKind, Verdict
from gate.model.diagnosis import (
    DEEPEST,
    MOST_CALLS,
    MOST_FRAMES,
    MOST_MOVERS,
    OTHERS,
    UNKNOWN,
    Call,
    Flame,
    Frame,
    Mover,
    Why,
    unit_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gate.model import Profile, Report
    from gate.model.diagnosis import ExtraRun, ExtraRuns, Folded


LEAST_RUNS = 2
"""Runs of each side: fewer tell nothing of the noise."""
LEAST_SCORE = 2.0
SECOND = "second"
"""What events are counted per, where a run does not count operations."""
_REPEATS = 0.01
_LEAST = {"1": 30.0, "s": 0.01, "B": 30 * 512.0}
"""What a counter must have grown by in the median run of one side, by unit."""
_EVENT = {"1": 1.0, "s": 0.001, "B": 512.0}
"""What counts as one event of a unit, for what chance alone does."""


def per_of(runs: Sequence[ExtraRun], word: str) -> str:
    """What counters are divided by: operations where every run counts them, else seconds."""
    return word if runs and all(run.operations for run in runs) else SECOND


def movers(runs: Sequence[ExtraRun], *, by_operation: bool = True) -> tuple[tuple[Mover, ...], int]:
    """The counters that moved most, and how many were compared.

    First those that also grew faster or slower in a second. The others moved only because an
    operation takes longer: they are as likely its effect as its cause.
    """
    sides = tuple([run for run in runs if run.side is side] for side in (Side.BASE, Side.HEAD))
    if min(map(len, sides)) < LEAST_RUNS:
        return (), 0
    divisor = _operations if by_operation else _seconds
    found, compared = [], 0
    for name in dict.fromkeys(name for run in runs for name in run.counts):
        unit = unit_of(name)
        # How much it grew in the median run of the side where it grew more.
        grown = max(median(run.counts.get(name, 0.0) for run in side) for side in sides)
        if grown < _LEAST[unit]:
            continue
        compared += 1
        events = math.sqrt(grown / _EVENT[unit])
        before, after, score = _score(name, sides, divisor, events)
        if score >= LEAST_SCORE:
            by_time = _score(name, sides, _seconds, events)[-1]
            longer = by_operation and by_time < LEAST_SCORE
            found.append(
                Mover(counter=name, unit=unit, base=before, head=after, score=score, longer=longer)
            )
    found.sort(key=lambda one: (one.longer, -one.score, one.counter))
    return tuple(found[:MOST_MOVERS]), compared


def _operations(run: ExtraRun) -> float:
    return run.operations or 1.0


def _seconds(run: ExtraRun) -> float:
    return max(run.seconds, 1e-6)


def _score(
    name: str,
    sides: Iterable[Sequence[ExtraRun]],
    divisor: Callable[[ExtraRun], float],
    events: float,
) -> tuple[float, float, float]:
    """Both medians and how far they lie apart; `events` is the square root of their number."""
    values = [[run.counts.get(name, 0.0) / divisor(run) for run in side] for side in sides]
    before, after = map(median, values)
    level = max(before, after)
    spread = max(max(side) - min(side) for side in values)
    score = abs(after - before) / (spread + level / events + _REPEATS * level)
    return before, after, score


MOST_BENCHMARKS = 3
"""Regressed benchmarks that extra runs are taken of."""
_NEVER = UNTIMED | {"replay"}
"""Harnesses of which extra runs show nothing new: they use no machine, or count by function."""


class DiagnosisTarget(NamedTuple):
    """A regressed benchmark, and the one to be run for it: a point, where it is a curve."""

    profile: str
    benchmark: str


def targets(report: Report, profiles: Mapping[str, Profile]) -> tuple[DiagnosisTarget, ...]:
    """The worst regressed benchmarks that can run again; of a curve its end, where most bend."""
    found = (
        DiagnosisTarget(profile.name, own.members[-1] if own.group else own.name)
        for one in report.findings
        if one.verdict is Verdict.REGRESSED and one.role is Role.GATE
        if (profile := profiles.get(one.profile)) is not None and _can_run_again(profile)
        for own in profile.benchmarks
        if own.name == one.benchmark
    )
    return tuple(dict.fromkeys(found))[:MOST_BENCHMARKS]


def _can_run_again(profile: Profile) -> bool:
    # What is counted of a kernel is the emulator, or each run would be a restart of the machine.
    alive = profile.harness not in _NEVER and profile.subject.kind is not SubjectKind.KERNEL
    return alive and {"base", "head"} <= profile.sides.keys()


def why_of(runs: ExtraRuns, folded: Mapping[Side, Folded]) -> Why:
    """What moved in the extra runs of one benchmark."""
    per = per_of((*runs.runs, *(one.run for one in folded.values())), runs.word)
    moved, compared = movers(runs.runs, by_operation=per != SECOND)
    sides = [run.side for run in runs.runs]
    counted = sides.count(Side.BASE), sides.count(Side.HEAD)
    flame, notes = None, list(runs.notes)
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
    """The report with what moved with its regressions; of anything else nothing is shown.

    It may come from another machine: a benchmark that the report does not know has no place.
    """
    regressed = {one.profile for one in report.findings if one.verdict is Verdict.REGRESSED}
    known = {(f.profile, f.benchmark) for f in report.findings if f.profile in regressed}
    shown: dict[tuple[str, str], Why] = {}
    for one in found:
        shown.setdefault((one.profile, one.benchmark), one)
    return replace(report, why=tuple(shown[at] for at in shown if at in known)[:MOST_BENCHMARKS])


_NARROWEST = 0.003
"""Part of the whole width; a narrower frame is left out."""
_ROOT = "all"


@dataclass(slots=True)
class _Node:
    base: float = 0.0
    head: float = 0.0
    called: dict[str, _Node] = field(default_factory=dict)

    @property
    def both(self) -> float:
        return self.base + self.head

    def add(self, base: float, head: float) -> None:
        self.base += base
        self.head += head


def flame_of(base: Folded, head: Folded, *, by_operation: bool = True) -> Flame | None:
    """Both sides in one tree; none where a side has no sample."""
    samples = sum(base.stacks.values()), sum(head.stacks.values())
    if not all(samples):
        return None
    root, calls = _Node(), dict[str, _Node]()
    for folded, is_head in ((base, False), (head, True)):
        divisor = (folded.run.operations if by_operation else folded.run.seconds) or 1.0
        for stack, count in folded.stacks.items():
            cost = count * folded.every / divisor
            sides = (0.0, cost) if is_head else (cost, 0.0)
            calls.setdefault(_own(stack), _Node()).add(*sides)
            node = root
            node.add(*sides)
            for name in stack.split(";")[:DEEPEST]:
                node = node.called.setdefault(name, _Node())
                node.add(*sides)
    moved = sorted(calls.items(), key=lambda one: (-abs(one[1].head - one[1].base), one[0]))
    return Flame(
        event=base.event,
        samples_base=samples[0],
        samples_head=samples[1],
        frames=tuple(_frames(_ROOT, root, 0, _narrowest(root))),
        calls=tuple(
            Call(name=name, base=own.base, head=own.head)
            for name, own in _largest_moves(moved)
            if own.base != own.head
        ),
    )


def _largest_moves(moved: list[tuple[str, _Node]]) -> list[tuple[str, _Node]]:
    """Those that moved most; a third of the places is left to other processes."""
    others = [one for one in moved if one[0].endswith(f"({OTHERS})")]
    own = [one for one in moved if not one[0].endswith(f"({OTHERS})")]
    few = others[: MOST_CALLS // 3]
    return [*own[: MOST_CALLS - len(few)], *few]


def _own(stack: str) -> str:
    """Whose time a sample is: its innermost frame; where that is unknown, with the command."""
    names = stack.split(";")
    apart = names[0] == OTHERS and len(names) > 1
    name = names[-1] if names[-1] != UNKNOWN else f"{UNKNOWN} of {names[int(apart)]}"
    return f"{name} ({OTHERS})" if apart else name


def _narrowest(root: _Node) -> float:
    """The width below which frames are left out, so that at most so many are left."""
    widths = sorted((node.both for node in _every(root)), reverse=True)
    least = _NARROWEST * root.both
    if len(widths) <= MOST_FRAMES:
        return least
    return max(least, widths[MOST_FRAMES] * (1 + 1e-9))


def _every(node: _Node) -> Iterator[_Node]:
    yield node
    for one in node.called.values():
        yield from _every(one)


def _frames(name: str, node: _Node, depth: int, narrowest: float) -> Iterator[Frame]:
    yield Frame(name=name, depth=depth, base=node.base, head=node.head)
    for inner, one in sorted(node.called.items()):
        if one.both >= narrowest:
            yield from _frames(inner, one, depth + 1, narrowest)
