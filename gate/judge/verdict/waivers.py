"""Waivers: a proven regression that somebody accepted for a while, in writing.

One that nobody needs any more would let the next regression of its row in, unseen. So where a row
passes without its waiver, the finding says so at first, and closes the gate after 30 days.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from gate.docs import PAGES
from gate.model import Verdict
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.verdict.suite import Policy, Suite
    from gate.model import Baseline, Finding, Waiver


CODE = "G045"
GRACE = timedelta(days=30)
"""How long a waiver may stand that is not needed."""
_PASSES = (Verdict.PASSED, Verdict.IMPROVED)


def apply_waivers(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings, each with its waiver where it has one."""
    baselines = {case.profile: case.baseline for case in suite.cases}
    return tuple(apply_waiver(one, suite.policy, baselines[one.profile]) for one in findings)


def apply_waiver(finding: Finding, policy: Policy, baseline: Baseline | None = None) -> Finding:
    """The finding as it is, or waived, or with a warning why its waiver does not hold.

    One that passes without its waiver is warned of, or closed. `baseline` is that of its profile.
    """
    row, today = (finding.profile, finding.benchmark, finding.metric), policy.latest_day
    rows = sorted((w for w in policy.waivers if w.row == row), key=lambda w: (w.expires, w.ceiling))
    if rows and finding.verdict in _PASSES:
        return _closed_if_unneeded(finding, rows[-1], baseline, today)
    if not rows or finding.verdict is not Verdict.REGRESSED:
        return finding
    waiver = next((w for w in rows if _holds(w, finding, policy)), rows[-1])
    ceiling = percent(waiver.ceiling, signed=False)
    if waiver.expires < today:
        behind = f"; the clock says {policy.today}, and {today} is over" * (today > policy.today)
        return _warn(finding, f"its waiver ended on {waiver.expires} ({waiver.issue}){behind}")
    if waiver.since > policy.today:  # no date that others wrote lets it begin
        return _warn(finding, f"its waiver begins on {waiver.since} ({waiver.issue})")
    if not _holds(waiver, finding, policy):
        return _warn(finding, f"beyond the ceiling of its waiver, {ceiling} ({waiver.issue})")
    used = f"{(finding.loss or 0.0) / waiver.ceiling:.0%} of the ceiling is used"
    terms = f"waived up to {ceiling} until {waiver.expires}"
    return replace(
        finding,
        verdict=Verdict.WAIVED,
        code="G004",
        headline=f"{finding.headline}; {terms} ({waiver.issue})",
        path=(*finding.path, f"{terms} ({waiver.issue})"),
        advice=f"{terms.capitalize()}: {waiver.reason} ({waiver.issue}); {used}.",
    )


def _holds(waiver: Waiver, finding: Finding, policy: Policy) -> bool:
    within = finding.loss is not None and finding.loss <= waiver.ceiling
    return within and waiver.since <= policy.today and policy.latest_day <= waiver.expires


def _warn(finding: Finding, warning: str) -> Finding:
    return replace(finding, warnings=(*finding.warnings, warning))


def _closed_if_unneeded(
    finding: Finding, waiver: Waiver, baseline: Baseline | None, today: str
) -> Finding:
    """A finding that passes, closed where its waiver was not needed for 30 days.

    It was not needed since the first session accepted on or after its first day, or since it
    ended; before the 30 days are over, an ended waiver is warned of.
    """
    first = _first_accepted(finding, waiver, baseline)
    if first is not None and _is_old(first, today):
        why = f"was not needed since {first}"
    elif waiver.expires >= today:
        return finding
    elif _is_old(waiver.expires, today):
        why = f"ended on {waiver.expires} and is not needed"
    else:
        last = date.fromisoformat(waiver.expires) + GRACE
        ended = f"its waiver ended on {waiver.expires} ({waiver.issue})"
        return _warn(finding, f"{ended}; remove it before {last}")
    return replace(
        finding,
        verdict=Verdict.INCOMPARABLE,
        code=CODE,
        headline=f"its waiver ({waiver.issue}) {why}; without it: {finding.headline}",
        advice=PAGES[CODE].cure,
    )


def _first_accepted(finding: Finding, waiver: Waiver, baseline: Baseline | None) -> str | None:
    """The day of the first accepted session of the row that the waiver could have held for."""
    if baseline is None or not waiver.since:
        return None
    mine = {
        point.session
        for one in baseline.series
        if (one.benchmark, one.metric) == (finding.benchmark, finding.metric)
        for point in one.points
    }
    days = [one.started[:10] for one in baseline.sessions if one.id in mine]
    return min((day for day in days if day >= waiver.since), default=None)


def _is_old(day: str, today: str) -> bool:
    """Whether a day lies at least 30 days back; what is no date tells nothing."""
    try:
        return date.fromisoformat(day) + GRACE <= date.fromisoformat(today)
    except (ValueError, OverflowError):
        return False
