"""Waivers: a proven regression that somebody accepted for a while, in writing.

Waivers that nobody needs any more: each would let the next regression of its row in, unseen.
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


def closed_if_unneeded(
    finding: Finding, waiver: Waiver, baseline: Baseline | None, today: str
) -> Finding:
    """A finding that passes, closed where its waiver was not needed for 30 days.

    It was not needed since the first session accepted on or after its first day, or since it
    ended; before the 30 days are over, an ended waiver is warned of.
    """
    first = _first_accepted(finding, waiver, baseline)
    if first is not None and _older(first, today):
        return _closed(finding, waiver, f"was not needed since {first}")
    if waiver.expires >= today:
        return finding
    if _older(waiver.expires, today):
        return _closed(finding, waiver, f"ended on {waiver.expires} and is not needed")
    last = date.fromisoformat(waiver.expires) + GRACE
    warning = f"its waiver ended on {waiver.expires} ({waiver.issue}); remove it before {last}"
    return replace(finding, warnings=(*finding.warnings, warning))


def _closed(finding: Finding, waiver: Waiver, why: str) -> Finding:
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


def _older(day: str, today: str) -> bool:
    """Whether a day lies at least 30 days back; what is no date tells nothing."""
    try:
        return date.fromisoformat(day) + GRACE <= date.fromisoformat(today)
    except (ValueError, OverflowError):
        return False


_PASSES = (Verdict.PASSED, Verdict.IMPROVED)


def apply_waivers(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings, each with its waiver where it has one."""
    baselines = {case.profile: case.baseline for case in suite.cases}
    return tuple(apply_waiver(one, suite.policy, baselines[one.profile]) for one in findings)


def apply_waiver(finding: Finding, policy: Policy, baseline: Baseline | None = None) -> Finding:
    """The finding as it is, or waived, or with a warning why its waiver does not hold.

    Where the row passes without its waiver, the finding says so, or closes the gate: see
    `gate.judge.verdict.waivers`. `baseline` is that of the finding's profile.
    """
    if finding.verdict is not Verdict.REGRESSED and finding.verdict not in _PASSES:
        return finding
    rows = sorted(
        (w for w in policy.waivers if _covers(w, finding)), key=lambda w: (w.expires, w.ceiling)
    )
    if not rows:
        return finding
    if finding.verdict in _PASSES:
        return closed_if_unneeded(finding, rows[-1], baseline, policy.today)
    waiver = next((w for w in rows if _holds(w, finding, policy.today)), rows[-1])
    ceiling = percent(waiver.ceiling, signed=False)
    if waiver.expires < policy.today:
        return _warn(finding, f"its waiver ended on {waiver.expires} ({waiver.issue})")
    if waiver.since > policy.today:
        return _warn(finding, f"its waiver begins on {waiver.since} ({waiver.issue})")
    if not _holds(waiver, finding, policy.today):
        return _warn(finding, f"beyond the ceiling of its waiver, {ceiling} ({waiver.issue})")
    used = (finding.loss or 0.0) / waiver.ceiling
    return replace(
        finding,
        verdict=Verdict.WAIVED,
        code="G004",
        headline=f"{finding.headline}; waived up to {ceiling} until {waiver.expires} "
        f"({waiver.issue})",
        path=(*finding.path, f"waived up to {ceiling} until {waiver.expires} ({waiver.issue})"),
        advice=f"Waived up to {ceiling} until {waiver.expires}: {waiver.reason} ({waiver.issue}); "
        f"{used:.0%} of the ceiling is used.",
    )


def _holds(waiver: Waiver, finding: Finding, today: str) -> bool:
    within = finding.loss is not None and finding.loss <= waiver.ceiling
    return within and waiver.since <= today <= waiver.expires


def _covers(waiver: Waiver, finding: Finding) -> bool:
    return waiver.row == (finding.profile, finding.benchmark, finding.metric)


def _warn(finding: Finding, warning: str) -> Finding:
    return replace(finding, warnings=(*finding.warnings, warning))
