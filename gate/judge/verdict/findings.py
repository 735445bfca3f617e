"""Findings as they are built: of a series, and of what was not measured at all.

What was not measured is reported metric by metric, so that it can never look like a pass. A check
that could not be judged has a report without findings: closed, with the reason.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from gate.docs import PAGES
from gate.judge.verdict.epochs import earlier, epoch_of
from gate.model import (
    SCHEMA,
    Better,
    Evidence,
    Finding,
    Report,
    Role,
    SuitePromise,
    Verdict,
    applies,
    plan_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.verdict.series import Series
    from gate.model import Benchmark, Edit, Metric, Profile
    from gate.stats.costs import LossLimits

CODE = "G044"
_LONGEST_REASON = 300
_NEW = "G010"
_EVERY = "*"
_MOST_ADDED = 50
"""Profiles that a change may add and not measure, each with a finding of its own."""


def advice_of(code: str, role: Role) -> str:
    """The cure of the code; a watched metric asks for nothing."""
    if role is Role.WATCH:
        return "Nothing has to be done: this metric is only watched and never closes the gate."
    return PAGES[code].cure


def make_finding(  # one place builds every finding, so that none lacks its advice
    series: Series, code: str, verdict: Verdict, headline: str, **numbers: Any
) -> Finding:
    """A finding of this series; `numbers` are further fields of `Finding`."""
    limits: LossLimits | None = numbers.pop("limits", None)
    evidence = numbers.pop("evidence", Evidence())
    accepted = series.accepted.current if series.accepted else ()
    shown = replace(
        evidence,
        baseline=series.sessions,
        baseline_sessions=tuple(point.session for point in accepted),
        head=series.head,
        earlier=earlier(series),
        epoch=epoch_of(series),
        aside=series.every_aside,
    )
    used = limits.tolerance if limits else series.metric.tolerance
    numbers["can_detect"] = consistent_figure(
        numbers.get("can_detect"), verdict, numbers.get("loss"), used
    )
    centres = [median(values) for values in series.sessions if values]
    numbers.setdefault("base_value", median(centres) if centres else None)
    numbers.setdefault("head_value", median(series.head) if series.head else None)
    numbers.setdefault("trials_base", sum(len(values) for values in series.sessions))
    numbers.setdefault("trials_head", len(series.head))
    return Finding(
        code=code,
        profile=series.case.profile,
        benchmark=series.benchmark,
        metric=series.metric.name,
        verdict=verdict,
        role=series.metric.role,
        headline=headline,
        advice=advice_of(code, series.metric.role),
        unit=series.metric.unit,
        better=series.metric.better,
        sessions_base=len(series.sessions),
        tolerance=series.metric.tolerance,
        tolerance_used=used,
        ceiling=series.case.head.loud.ceiling,
        negligible=limits.negligible if limits else series.metric.tau,
        evidence=shown,
        **numbers,
    )


def consistent_figure(
    figure: float | None, verdict: Verdict, loss: float | None, used: float
) -> float | None:
    """What a metric can detect, beside what was just seen of it.

    The figure is of the noise that was expected. A loss that was proven, and a tolerance that was
    cleared, were detectable; a larger loss that was left undecided was not. Absent where nothing
    that a profile can name is detected.
    """
    if figure is None:
        return None
    if verdict is Verdict.REGRESSED and loss is not None and loss > 0:
        return min(figure, loss)
    if verdict.opens:
        return min(figure, used)
    if verdict is Verdict.INCONCLUSIVE and loss is not None:
        figure = max(figure, loss)
    return figure if math.isfinite(figure) else None


def absent_findings(profiles: Sequence[Profile], *, why: Mapping[str, str]) -> tuple[Finding, ...]:
    """One finding per benchmark and gate metric of profiles without a session; `why` by profile."""
    return tuple(
        _missing(profile, benchmark, metric, why.get(profile.name, "no session of it was sent"))
        for profile in profiles
        for benchmark in profile.benchmarks
        for plan in [plan_of(profile, benchmark, profile.trials.screen)]
        for metric in profile.metrics
        if metric.role is Role.GATE and applies(metric, plan)
    )


def part_missing(part: str, why: str) -> Finding:
    """The finding of a part of a check of which nobody knows what it was to measure."""
    return _whole(CODE, part, Verdict.MISSING, f"not measured: {why[:_LONGEST_REASON]}")


def added_findings(names: Sequence[str]) -> tuple[Finding, ...]:
    """One finding for each profile that a change adds and nobody measured.

    It is new, like one that was measured: there is nothing to compare it with. What it would
    measure is the change's own word, which is not repeated.
    """
    shown, rest = names[:_MOST_ADDED], names[_MOST_ADDED:]
    reason = "the change adds this profile, and no session of it was sent"
    more = f"the change adds {len(rest)} more profiles, and no session of them was sent"
    return (
        *(_whole(_NEW, name, Verdict.NEW, reason) for name in shown),
        *([_whole(_NEW, "further profiles", Verdict.NEW, more)] if rest else []),
    )


def unapproved_findings(edits: Sequence[Edit]) -> tuple[Finding, ...]:
    """The finding of a change to the files that run the gate, as long as nobody approved it.

    What such a workflow uploads may be anybody's: the gate cannot tell it from a measurement.
    """
    edited = [one.headline for one in edits if one.is_of_file]
    if not edited:
        return ()
    more = f"; and {len(edited) - 1} more" if len(edited) > 1 else ""
    said = f"nobody has approved this commit, and {edited[0][:_LONGEST_REASON]}{more}"
    return (_whole("G289", "the workflows", Verdict.INCOMPARABLE, said),)


def _whole(code: str, profile: str, verdict: Verdict, headline: str) -> Finding:
    return Finding(
        code=code,
        profile=profile[:_LONGEST_REASON],
        benchmark=_EVERY,
        metric=_EVERY,
        verdict=verdict,
        role=Role.GATE,
        headline=headline,
        advice=PAGES[code].cure,
        unit="1",
        better=Better.LOWER,
    )


def _missing(profile: Profile, benchmark: Benchmark, metric: Metric, why: str) -> Finding:
    return replace(
        part_missing(profile.name, why),
        profile=profile.name,
        benchmark=benchmark.name,
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        tolerance=metric.tolerance,
        tolerance_used=metric.tolerance,
        negligible=metric.tau,
    )


ERROR = "error"
"""The verdict of such a report; no finding has it."""
_LONGEST = 4000
NOTHING = "nothing was judged, and a gate that judged nothing is closed"


def failed_report(
    *,
    code: str,
    message: str,
    exit_status: int,
    created: str,
    version: str,
    profiles: Sequence[str] = (),
    edits: Sequence[Edit] = (),
) -> Report:
    """A closed report that says why there is no verdict.

    `code` and `message` are those of the error, `exit_status` is what it ends with, `created` the
    UTC time to print, `version` the gate's own. It promises nothing, as nothing was compared.

    Raises:
        ValueError: the exit status is 0, which is that of an open gate.
    """
    if exit_status == 0:
        raise ValueError("an error has no exit status 0")
    reason = f"{code}: {' '.join(message.split())[:_LONGEST]}"
    return Report(
        schema=SCHEMA,
        gate="closed",
        verdict=ERROR,
        exit_status=exit_status,
        headline=f"gate closed: {ERROR}: {reason}",
        created=created,
        profiles=tuple(sorted(set(profiles))),
        findings=(),
        host=None,
        tools={"driftgate": version},
        notes=(reason, f"{NOTHING}; `gate explain {code}` tells more"),
        promise=SuitePromise(alpha=0.0, beta=0.0, metrics_judged=0, metrics_flagged=0),
        edits=tuple(edits),
    )
