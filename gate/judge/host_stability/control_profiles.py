"""Whether the host is what it was: controls that moved, trials that scatter as never before.

A benchmark marked `control = true` condemns its own profile where it moved. A whole profile of
controls condemns all that was measured on its machine for the same report; one that cannot compare
anything is reported, for a guard must not fall silent.
"""

from __future__ import annotations

from statistics import median, stdev
from typing import TYPE_CHECKING

from gate.judge.host_stability import LIMITS
from gate.judge.host_stability.controls import moved_builtin
from gate.judge.host_stability.host_epoch import is_renewed
from gate.judge.verdict.comparable import Refusal, refusal
from gate.judge.verdict.epochs import reference
from gate.judge.verdict.series import key_of
from gate.judge.verdict.validity import unfit
from gate.model import Role
from gate.stats.costs import LEAST_SESSIONS, ratio, usable
from gate.stats.screen import centre
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.verdict.series import Series, SeriesKey
    from gate.judge.verdict.suite import Case
    from gate.stats.noise import Noise

    Judged = tuple[Case, Sequence[Series]]


def host_refusal(
    case: Case,
    every: Sequence[Series],
    noises: Mapping[SeriesKey, Noise],
    machine_moved: Refusal | None,
) -> Refusal | None:
    """The first reason why the host does not stand where it stood, if there is one.

    `machine_moved` is what a control profile of the same suite says of the machine.
    """
    return (
        moved_builtin(case)
        or machine_moved
        or moved_control(every, noises)
        or unsteady(every, noises)
    )


def moved_control(every: Sequence[Series], noises: Mapping[SeriesKey, Noise]) -> Refusal | None:
    """The first control benchmark whose level left its accepted range, either way."""
    for series in every:
        noise = noises.get(key_of(series))
        gates = series.metric.role is Role.GATE
        if not (series.control and gates and noise and usable(series.head)):
            continue
        loss = median(series.costs) - centre(reference(series).sessions)
        if abs(loss) > max(LIMITS.control_benchmark, LIMITS.errors * noise.error(len(series.head))):
            return Refusal("G035", f"the control {series.label} moved by {percent(ratio(loss))}")
    return None


def unsteady(every: Sequence[Series], noises: Mapping[SeriesKey, Noise]) -> Refusal | None:
    """Trials that scatter far more than in the accepted sessions, over most of the profile."""
    times = [
        stdev(series.costs) / noise.within
        for series in every
        if series.metric.role is Role.GATE
        and len(series.head) > 1
        and usable(series.head)
        and (noise := noises.get(key_of(series)))
        and noise.within > 0
    ]
    scatter = unusual_scatter(times)
    if scatter is None:
        return None
    return Refusal(
        "G039",
        f"trials scatter {scatter:.0f} times as much as in the accepted sessions, over most of "
        f"{len(times)} metrics",
    )


def unusual_scatter(times: Sequence[float]) -> float | None:
    """The typical scatter of a suite where it is out of the ordinary, else None.

    `times` are the standard deviations of each metric's trials as multiples of the accepted.
    """
    if len(times) < LIMITS.scattering or (typical := median(times)) <= LIMITS.scatter:
        return None
    return typical


Machine = tuple[str, str]


def machine_of(case: Case) -> Machine:
    """Host class and fingerprint."""
    return case.head.host.host_class, case.head.host.fingerprint


def guards(case: Case) -> bool:
    """Whether no benchmark of the profile can be reached by the change."""
    return bool(case.head.planned) and all(plan.control for plan in case.head.planned)


def machines_that_moved(
    suite: Sequence[Judged], noises: Mapping[SeriesKey, Noise]
) -> dict[Machine, Refusal]:
    """Machines that moved by what a control profile says, and which one."""
    found: dict[Machine, Refusal] = {}
    for case, every in suite:
        if not guards(case) or refusal(case) is not None or is_renewed(case):
            continue
        moved = moved_control(every, noises)
        if moved is not None:
            text = f"the host moved: {moved.reason} (control profile {case.profile})"
            found.setdefault(machine_of(case), Refusal(moved.code, text))
    return found


def blind_controls(suite: Sequence[Judged], noises: Mapping[SeriesKey, Noise]) -> tuple[str, ...]:
    """One sentence for each control profile that tells less of the host than it should."""
    return tuple(
        f"control profile {case.profile}: {why}"
        for case, every in suite
        if guards(case) and (why := _blind(case, every, noises))
    )


def _blind(case: Case, every: Sequence[Series], noises: Mapping[SeriesKey, Noise]) -> str:
    refused = refusal(case)
    if refused is not None:
        return f"it says nothing of the host, {refused.reason}"
    if is_renewed(case):
        return "it says nothing of the host, which moved since the control's own baseline"
    gates = [series for series in every if series.metric.role is Role.GATE]
    if not gates:
        return "it says nothing of the host, none of its metrics may close the gate"
    reasons = [f"{series.label}: {why}" for series in gates if (why := _silent(series, noises))]
    if not reasons:
        return ""
    share = f"{len(reasons)} of {len(gates)} metrics"
    return f"{share} say nothing of the host; {reasons[0]}"


def _silent(series: Series, noises: Mapping[SeriesKey, Noise]) -> str:
    found = unfit(series)
    if found is not None:
        return found.headline
    if key_of(series) not in noises:
        count = len(reference(series).sessions)
        return f"{count} accepted sessions, {LEAST_SESSIONS} are needed"
    return ""
