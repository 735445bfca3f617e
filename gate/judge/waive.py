"""Waivers: a proven regression that somebody accepted for a while, in writing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.judge.stale import closed_if_unneeded
from gate.model import Verdict
from gate.units import percent

if TYPE_CHECKING:
    from gate.judge.suite import Policy
    from gate.model import Baseline, Finding, Waiver

_PASSES = (Verdict.PASSED, Verdict.IMPROVED)


def waived(finding: Finding, policy: Policy, baseline: Baseline | None = None) -> Finding:
    """The finding as it is, or waived, or with a warning why its waiver does not hold.

    Where the row passes without its waiver, the finding says so, or closes the gate: see
    `gate.judge.stale`. `baseline` is that of the finding's profile.
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
