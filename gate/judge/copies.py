"""Copies: a sitting that repeats the times of another was not measured.

What this cannot tell: a copy of which more than half of the times were changed, each by a bit.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.verdict.validity import percentile_of
from gate.model import TrialStatus, is_untimed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.model import Baseline, Session, Value


_LEAST_TO_TELL = 3
"""Values of more than six digits that must be the same for a copy to be told from chance."""
_NANOSECOND = 1e-9
_STEPS = 1e6
"""Steps of its clock that a value holds at least, for another sitting not to hit it by chance."""
_BY_NANOSECONDS = frozenset({"hyperfine", "pytest-benchmark"})
"""Harnesses that give the nanoseconds of their clock; others may divide by whole milliseconds."""
EXACTLY = "which was accepted, to the last bit: it is a copy"


class TimedValues(NamedTuple):
    """The values of a sitting, by benchmark and metric, sorted."""

    every: Mapping[tuple[str, str], tuple[float, ...]]
    fine: frozenset[tuple[str, str]] = frozenset()
    """Which were timed by a clock that tells a million steps of them."""
    least: int = 4
    """Trials that two sittings must share to be taken for one; see `_mostly_same`."""


def copied_from(session: Session, baseline: Baseline) -> str:
    """The accepted session that a session repeats to the last bit; empty where none is."""
    ours = timed_values(session)
    theirs: dict[str, dict[tuple[str, str], tuple[float, ...]]] = {}
    for series in baseline.series:
        key = series.benchmark, series.metric
        for point in series.points if key in ours.every else ():
            theirs.setdefault(point.session, {})[key] = tuple(sorted(point.values))
    return next((name for name, own in theirs.items() if is_copy(ours, own)), "")


def is_copy(ours: TimedValues, theirs: Mapping[tuple[str, str], Sequence[float]]) -> bool:
    """Whether two sittings share all their values, or most of what was timed, not by chance.

    Numbers of few digits agree by chance, and so do percentiles, which histograms round.
    """
    common = [key for key in ours.every.keys() & theirs.keys() if ours.every[key] and theirs[key]]
    if any(ours.every[key] != theirs[key] for key in common):
        return _mostly_same(ours, theirs, ours.fine.intersection(common))
    finely = {value for key in common if not percentile_of(key[1]) for value in ours.every[key]}
    return sum(map(_has_many_digits, finely)) >= _LEAST_TO_TELL


def _mostly_same(
    ours: TimedValues,
    theirs: Mapping[tuple[str, str], Sequence[float]],
    fine: Iterable[tuple[str, str]],
) -> bool:
    """Whether half of the trials of two sittings, and `least` of them, have a time in common.

    The metrics of a trial come of one time, so the trial is the unit. Two times of deviation
    s and step r are equal with probability p = r / (2 sqrt(pi) s) at most. For nanoseconds, and
    noise of a hundredth of a percent of a millisecond, p is 0.003; of a second, 3e-6. Of three
    trials beside three, two agree with probability 3 (3 p)^2: 2e-4 and 2e-10. Whole milliseconds
    of 10 s with noise of 1 % have p = 0.003: 4 of 8 agree with 70 (8 p)^4 = 2e-5.
    """
    same: dict[str, int] = {}
    whole: dict[str, int] = {}
    for benchmark, metric in fine:
        one, other = ours.every[benchmark, metric], theirs[benchmark, metric]
        equal = (Counter(one) & Counter(other)).total()
        same[benchmark] = max(equal, same.get(benchmark, 0))
        whole[benchmark] = max(min(len(one), len(other)), whole.get(benchmark, 0))
    count = sum(same.values())
    return count >= ours.least and 2 * count >= sum(whole.values())


def _has_many_digits(value: float) -> bool:
    return float(f"{value:.6g}") != value


def timed_values(session: Session) -> TimedValues:
    """The values of a sitting; none where they may repeat exactly."""
    if session.harness == "replay" or is_untimed(session.harness, session.tools):
        return TimedValues({})
    units = {metric.name: metric.unit for metric in session.metrics}
    found: dict[tuple[str, str], list[Value]] = {}
    for trial in session.trials:
        if trial.status is TrialStatus.OK:
            for one in trial.values:
                found.setdefault((trial.benchmark, one.metric), []).append(one)
    return TimedValues(
        every={key: tuple(sorted(one.value for one in own)) for key, own in found.items()},
        fine=frozenset(k for k, own in found.items() if _are_fine(own, k[1], units.get(k[1], ""))),
        least=2 if session.harness in _BY_NANOSECONDS else 4,
    )


def _are_fine(values: Sequence[Value], metric: str, unit: str) -> bool:
    """Whether these are times or rates, no counters, of many steps of their clock each."""
    in_seconds = unit == "s"
    return (
        (in_seconds or unit.endswith("/s"))
        and not percentile_of(metric)
        and len({one.value for one in values}) == len(values)
        and all(
            _has_many_digits(one.value)
            and one.value > _STEPS * max(one.resolution, _NANOSECOND * in_seconds)
            for one in values
        )
    )
