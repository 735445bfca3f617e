"""Completion latencies as curves over percentiles, base beside head.

A trial is one curve; a side is the median over its trials at each percentile that all of them
tell, so that every point describes the same trials.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.host_stability.standing import is_renewed
from gate.judge.verdict.comparable import refusal
from gate.judge.verdict.suite import on_both_sides, trials_by_benchmark
from gate.model import Latency, Quantile, TrialStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import BaselineSeries, Percentiles, Session

_ACCEPTED = {50.0: "p50", 99.0: "p99", 99.9: "p999"}
"""Percentiles that a baseline may hold, each as a metric of its own."""


class _Side(NamedTuple):
    trials: int
    seconds: dict[float, float]
    """By percentile."""


def latencies(cases: Iterable[Case]) -> tuple[Latency, ...]:
    """The curves of each benchmark whose harness tells any, by profile, benchmark and kind.

    A baseline keeps no curves, but may hold single percentiles as metrics: these stand in for the
    base where no pairs tell one.
    """
    found = [one for case in cases for one in _of_case(case)]
    return tuple(sorted(found, key=lambda one: (one.profile, one.benchmark, one.kind)))


def _of_case(case: Case) -> Iterator[Latency]:
    sides = on_both_sides(case, _curves)
    kinds = Counter(benchmark for benchmark, _ in sides)
    accepted: dict[tuple[str, str], BaselineSeries] = {}
    if case.baseline is not None and not is_renewed(case) and refusal(case) is None:
        accepted = {(one.benchmark, one.metric): one for one in case.baseline.series}
    for (benchmark, kind), (base, head) in sides.items():
        alone = kinds[benchmark] == 1
        other = _side(base) if base else _accepted(accepted, benchmark, kind, alone=alone)
        points = _points(other, _side(head), min(one.samples for one in (*base, *head)))
        if points:
            yield Latency(
                profile=case.profile,
                benchmark=benchmark,
                kind=kind,
                trials_base=other.trials,
                trials_head=len(head),
                points=points,
            )


def _curves(session: Session | None) -> dict[tuple[str, str], list[Percentiles]]:
    found: dict[tuple[str, str], list[Percentiles]] = {}
    for benchmark, trials in trials_by_benchmark(session).items():
        for trial in trials:
            for one in trial.latencies if trial.status is TrialStatus.OK else ():
                found.setdefault((benchmark, one.kind), []).append(one)
    return found


def _side(curves: Sequence[Percentiles]) -> _Side:
    rows = [dict(one.points) for one in curves]
    common = set.intersection(*(set(row) for row in rows))
    return _Side(len(rows), {at: median(row[at] for row in rows) for at in common})


def _accepted(
    known: dict[tuple[str, str], BaselineSeries], benchmark: str, kind: str, *, alone: bool
) -> _Side:
    """The accepted sessions' percentiles of one kind: the median over sessions of their medians.

    A metric without a kind in its name is of the only kind that there is.
    """
    seconds: dict[float, float] = {}
    trials = 0
    for at, name in _ACCEPTED.items():
        names = (f"{kind}_clat_{name}", *((f"clat_{name}",) if alone else ()))
        series = next((known[benchmark, one] for one in names if (benchmark, one) in known), None)
        if series is not None and series.unit == "s" and series.current:
            seconds[at] = median(median(point.values) for point in series.current)
            trials = max(trials, sum(len(point.values) for point in series.current))
    return _Side(trials, seconds)


def _points(base: _Side, head: _Side, samples: int) -> tuple[Quantile, ...]:
    return tuple(
        Quantile(
            percentile=at,
            base=base.seconds.get(at),
            head=head.seconds.get(at),
            beyond=round(samples * (100 - at) / 100, 6),  # 10 of 10,000 beyond 99.9, not 9.9999...
        )
        for at in sorted(base.seconds.keys() | head.seconds.keys())
    )
