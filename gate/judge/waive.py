"""Waivers: a proven regression that somebody accepted for a while, in writing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.units import percent

if TYPE_CHECKING:
    from gate.judge.suite import Policy
    from gate.model import Finding, Waiver


def waived(finding: Finding, policy: Policy) -> Finding:
    """The finding as it is, or waived, or with a warning why its waiver does not hold."""
    if finding.verdict is not Verdict.REGRESSED:
        return finding
    rows = sorted(
        (w for w in policy.waivers if _covers(w, finding)), key=lambda w: (w.expires, w.ceiling)
    )
    if not rows:
        return finding
    waiver = next((w for w in rows if _holds(w, finding, policy.today)), rows[-1])
    ceiling = percent(waiver.ceiling, signed=False)
    if waiver.expires < policy.today:
        return _warn(finding, f"its waiver ended on {waiver.expires} ({waiver.issue})")
    if not _holds(waiver, finding, policy.today):
        return _warn(finding, f"beyond the ceiling of its waiver, {ceiling} ({waiver.issue})")
    return replace(
        finding,
        verdict=Verdict.WAIVED,
        code="G004",
        advice=f"Waived up to {ceiling} until {waiver.expires}: {waiver.reason} ({waiver.issue})",
    )


def _holds(waiver: Waiver, finding: Finding, today: str) -> bool:
    within = finding.loss is not None and finding.loss <= waiver.ceiling
    return within and waiver.expires >= today


def _covers(waiver: Waiver, finding: Finding) -> bool:
    return waiver.row == (finding.profile, finding.benchmark, finding.metric)


def _warn(finding: Finding, warning: str) -> Finding:
    return replace(finding, warnings=(*finding.warnings, warning))
