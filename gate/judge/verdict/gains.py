"""Gains that may be none: of a head that does less, or that is too fast to be believed unseen.

A program that crashed, printed its usage or left its work to somebody else is very fast. Where
`[expect]` says how to read what was done, less of it is broken, whatever the time. And what would
pass with an implausible gain is suspicious, until somebody who looked accepts the level.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import largest_gain
from gate.judge.verdict.findings import advice_of
from gate.judge.verdict.series import key_of, series_of
from gate.judge.verdict.suite import trials_by_benchmark, values_in
from gate.model import WORK_DONE, Role, Verdict
from gate.stats.costs import LEAST_SESSIONS, log_costs, ratio, usable
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.series import SeriesKey
    from gate.judge.verdict.suite import Case, Suite
    from gate.model import Baseline, Finding, Session

CODE, LESS_WORK = "G046", "G055"
PLAUSIBLE = 0.5
"""The gain that is believed: twice as fast."""
_TIMES = 3
"""A gain of so many times the largest that was accepted is believed too, taken in logs."""
_PASSES = frozenset({Verdict.PASSED, Verdict.IMPROVED})


def warn_of_pairs(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings; a pass by the screen says where the pairs of the same check show a loss.

    Pairs are asked only where the screen flags something. Those that contradict it were measured
    before a level was accepted, or one of both was not measured.
    """
    return tuple(_beside_pairs(one, suite.by_profile[one.profile]) for one in findings)


def _beside_pairs(found: Finding, case: Case) -> Finding:
    if found.verdict not in _PASSES or found.method != "screen":
        return found
    base, head = (
        values_in(trials_by_benchmark(one).get(found.benchmark, ()), found.metric)
        for one in (case.pair_base, case.pair_head)
    )
    if not (base and head and usable(base) and usable(head)):
        return found
    costs = [median(log_costs(values, found.better)) for values in (base, head)]
    loss = ratio(costs[1] - costs[0])
    if loss <= found.tolerance:
        return found
    warning = f"the pairs of the same check contradict it: head {percent(loss)} against base"
    return replace(found, warnings=(*found.warnings, warning))


def demand_work(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings, those of benchmarks whose head did less than the base or baseline broken."""
    less = {case.profile: _less_work(case) for case in suite.cases}
    return tuple(_without_work(one, less[one.profile].get(one.benchmark, "")) for one in findings)


def _without_work(found: Finding, less: str) -> Finding:
    if not less or found.role is not Role.GATE or found.verdict.rank >= Verdict.BROKEN.rank:
        return found
    return replace(
        found,
        code=LESS_WORK,
        verdict=Verdict.BROKEN,
        headline=less,
        advice=advice_of(LESS_WORK, found.role),
        path=(*found.path, less),
    )


def _less_work(case: Case) -> dict[str, str]:
    """What to say of each benchmark of which a trial did less; of a group, what its points did."""
    said = {plan.benchmark: _compare_work(case, plan.benchmark) for plan in case.head.planned}
    for plan in case.head.planned:
        said[plan.benchmark] = next(
            filter(None, map(said.get, (plan.benchmark, *plan.members))), ""
        )
    return said


def _compare_work(case: Case, benchmark: str) -> str:
    """The least of the head against the least that was accepted, and that the base did.

    A base from before an accepted change is not asked: that change may be of what is done.
    """
    head = _work_of((case.head, case.pair_head), benchmark)
    known = case.baseline.series if case.baseline and _same_text(case, case.baseline) else ()
    own = next((s for s in known if (s.benchmark, s.metric) == (benchmark, WORK_DONE)), None)
    accepted = own.current if own else ()
    fresh = 0 < len(accepted) < LEAST_SESSIONS and accepted[0].epoch > 1
    base = () if fresh else _work_of((case.pair_base,), benchmark)
    wanted = {
        "was accepted": [value for point in accepted for value in point.values],
        "is the base's": base,
    }
    for whose, values in wanted.items():
        if head and values and min(head) < min(values):
            return f"did less work: {min(head):g} by expect.figure, and {min(values):g} {whose}"
    return ""


def _same_text(case: Case, baseline: Baseline) -> bool:
    """Whether the baseline's figures are of what is run now."""
    return baseline.profile_digest == case.head.profile_digest


def _work_of(sessions: Sequence[Session | None], benchmark: str) -> tuple[float, ...]:
    trials = (trials_by_benchmark(session).get(benchmark, ()) for session in sessions)
    return tuple(value for own in trials for value in values_in(own, WORK_DONE))


def doubt_gains(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings, those that would pass with a gain beyond what is plausible suspicious."""
    cases = suite.by_profile
    profiles = {one.profile for one in findings if _is_large(one)}
    believed = {key: gain for name in profiles for key, gain in _believed(cases[name])}
    return tuple(
        _doubted(one, believed.get((one.profile, one.benchmark, one.metric), PLAUSIBLE))
        if _is_large(one)
        else one
        for one in findings
    )


def _is_large(found: Finding) -> bool:
    passes = found.verdict in _PASSES and found.role is Role.GATE
    return passes and found.loss is not None and found.loss <= -PLAUSIBLE


def _believed(case: Case) -> Iterator[tuple[SeriesKey, float]]:
    """The largest gain that is believed of each series."""
    for one in series_of(case):
        yield key_of(one), max(PLAUSIBLE, -ratio(-_TIMES * largest_gain(one)))


def _doubted(found: Finding, believed: float) -> Finding:
    if found.loss is None or -found.loss < believed:
        return found
    gain, most = (percent(one, signed=False) for one in (-found.loss, believed))
    text = f"{gain} better, which is beyond what is plausible ({most}): does it do its work?"
    return replace(
        found,
        code=CODE,
        verdict=Verdict.SUSPICIOUS,
        headline=text,
        advice=advice_of(CODE, found.role),
        path=(*found.path, f"a gain of {most} or more is believed once it was accepted"),
    )
