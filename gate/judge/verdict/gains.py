"""Gains that are too large to be believed unseen.

A program that crashed, printed its usage or left its work to somebody else is very fast. So what
would pass with such a gain is suspicious, and closes, until somebody who looked accepts the level.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import largest_gain
from gate.judge.verdict.findings import advice_of
from gate.judge.verdict.series import key_of, series_of
from gate.model import Role, Verdict
from gate.stats.costs import ratio
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.series import SeriesKey
    from gate.judge.verdict.suite import Case, Suite
    from gate.model import Finding

CODE = "G046"
PLAUSIBLE = 0.5
"""The gain that is believed: twice as fast."""
_TIMES = 3
"""A gain of so many times the largest that was accepted is believed too, taken in logs."""
_PASSES = frozenset({Verdict.PASSED, Verdict.IMPROVED})


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
