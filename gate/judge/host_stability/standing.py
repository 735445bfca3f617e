"""Whether the host is what it was: its epoch facts, its controls, the scatter of its trials.

A kernel, a microcode, a governor, a mitigation moves every number at once. So where one of these
epoch facts moved since the newest sessions were accepted, what was accepted says nothing of the
change under test, and the class's policy decides: refused, or new. Either way nothing is flagged,
so no pair and no strike is spent on it.

A benchmark marked `control = true` condemns its own profile where it moved. A whole profile of
controls condemns all that was measured on its machine for the same report; one that cannot compare
anything is reported, for a guard must not fall silent.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median, stdev
from typing import TYPE_CHECKING, NamedTuple

from gate.judge import host_stability as limits
from gate.judge.host_stability.controls import moved_builtin
from gate.judge.verdict.epochs import reference
from gate.judge.verdict.findings import advice_of, make_finding
from gate.judge.verdict.series import key_of
from gate.judge.verdict.suite import Refusal
from gate.judge.verdict.validity import unfit
from gate.model import EpochPolicy, Finding, Role, Verdict
from gate.model.host import changed_facts, describe_changed
from gate.stats.costs import LEAST_SESSIONS, ratio, usable
from gate.stats.screen import centre
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.judge.verdict.screening import Flagged
    from gate.judge.verdict.series import Series, SeriesKey
    from gate.judge.verdict.suite import Case, Suite
    from gate.model import AcceptedSession, Baseline
    from gate.model.host import Moved
    from gate.stats.noise import Noise


class HostMove(NamedTuple):
    """What moved on the host, and since when."""

    facts: tuple[Moved, ...]
    since: str
    """ISO date of the accepted session that was measured before."""

    def __str__(self) -> str:
        """`microcode 0x1 -> 0x2 since the baseline of 2026-01-05`."""
        return f"{describe_changed(self.facts)} since the baseline of {self.since}"


def host_move(baseline: Baseline | None, epoch: Mapping[str, str]) -> HostMove | None:
    """What moved between the newest accepted sessions and these epoch facts, if anything did."""
    for session in newest(baseline) if baseline else ():
        if facts := changed_facts(session.epoch_facts, epoch):
            return HostMove(facts, session.started[:10])
    return None


def newest(baseline: Baseline) -> Iterator[AcceptedSession]:
    """The newest accepted session, and the newest of each series' current epoch: mostly the same.

    They differ where two branches were merged that accepted on different states of the host.
    Then no state agrees with all of them, and nothing passes until somebody accepts anew.
    """
    if not baseline.sessions:
        return
    last = {series.current[-1].session for series in baseline.series if series.current}
    last.add(baseline.sessions[-1].id)
    yield from (one for one in reversed(baseline.sessions) if one.id in last)


def move_of(case: Case) -> HostMove | None:
    """What moved on the host of a case since its baseline."""
    return host_move(case.baseline, case.head.host.epoch)


def is_renewed(case: Case) -> bool:
    """Whether the host moved and its class says that all benchmarks are new then."""
    policy = case.baseline.policy if case.baseline else None
    return policy is EpochPolicy.NEW_BASELINE and move_of(case) is not None


def as_new_epoch(series: Series, answer: Finding | Flagged) -> Finding | Flagged:
    """The answer for a series of such a case: new, whatever its numbers say.

    What is broken or missing stays so.
    """
    stands = isinstance(answer, Finding) and (
        answer.verdict is Verdict.NEW or answer.verdict.rank > Verdict.INCONCLUSIVE.rank
    )
    return answer if stands else make_finding(series, "G011", Verdict.NEW, renewal(series.case)[1])


def renewal(case: Case) -> Refusal:
    """Why the accepted level tells nothing of such a case."""
    text = f"no session was accepted of the host as it is now: {move_of(case)}"
    return Refusal("G011", text)


def refuse_sides_that_differ(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """What pairs decided, refused where a control differs between the sides as well.

    The change cannot reach a control: then something else than the change is not alike on both
    sides. A whole profile of controls speaks for every profile measured on its machine.
    """
    refused: dict[str, str] = {}
    for one in findings:
        case = suite.by_profile.get(one.profile)
        if case is None or one.method != "pairs" or not _differs(one, case):
            continue
        text = f"the control {one.benchmark} {one.metric} differs between the sides by "
        text += percent(one.loss)
        reached = [other for other in suite.cases if _speaks_for(case, other)]
        refused |= {other.profile: text for other in reached if other.profile not in refused}
    return tuple(
        replace(
            one,
            code="G035",
            verdict=Verdict.INCOMPARABLE,
            headline=refused[one.profile],
            advice=advice_of("G035", one.role),
            path=(*one.path, f"not judged: {refused[one.profile]}"),
        )
        if one.method == "pairs"
        and one.profile in refused
        and one.verdict.rank != Verdict.BROKEN.rank
        else one
        for one in findings
    )


def _differs(found: Finding, case: Case) -> bool:
    control = any(plan.control for plan in case.head.planned if plan.benchmark == found.benchmark)
    moved = found.verdict in {Verdict.REGRESSED, Verdict.IMPROVED}
    return control and moved and found.role is Role.GATE


def _speaks_for(guard: Case, other: Case) -> bool:
    if other is guard:
        return True
    planned = guard.head.planned
    ours, theirs = guard.head.host, other.head.host
    alike = (ours.host_class, ours.fingerprint) == (theirs.host_class, theirs.fingerprint)
    return alike and all(plan.control for plan in planned)


def host_refusal(
    case: Case,
    every: Sequence[Series],
    noises: Mapping[SeriesKey, Noise],
    machine_moved: Refusal | None,
) -> Refusal | None:
    """Why the host does not stand where it stood; a control profile says `machine_moved`."""
    own = moved_builtin(case) or machine_moved
    return own or moved_control(every, noises) or unsteady(every, noises)


def moved_control(every: Sequence[Series], noises: Mapping[SeriesKey, Noise]) -> Refusal | None:
    """The first control benchmark whose level left its accepted range, either way."""
    for series in every:
        noise = noises.get(key_of(series))
        if not (series.control and series.gates and noise and usable(series.head)):
            continue
        loss = median(series.costs) - centre(reference(series).sessions)
        if abs(loss) > max(limits.CONTROL_BENCHMARK, limits.ERRORS * noise.error(len(series.head))):
            return Refusal("G035", f"the control {series.label} moved by {percent(ratio(loss))}")
    return None


def unsteady(every: Sequence[Series], noises: Mapping[SeriesKey, Noise]) -> Refusal | None:
    """Trials that scatter far more than in the accepted sessions, over most of the profile."""
    times = [
        stdev(series.costs) / noise.within
        for series in every
        if series.gates
        and len(series.head) > 1
        and usable(series.head)
        and (noise := noises.get(key_of(series)))
        and noise.within > 0
    ]
    scatter = unusual_scatter(times)
    if scatter is None:
        return None
    text = f"trials scatter {scatter:.0f} times as much as in the accepted sessions"
    return Refusal("G039", f"{text}, over most of {len(times)} metrics")


def unusual_scatter(times: Sequence[float]) -> float | None:
    """The typical scatter of a suite where it is out of the ordinary, else None.

    `times` are the standard deviations of each metric's trials as multiples of the accepted.
    """
    typical = median(times) if len(times) >= limits.SCATTERING else 0.0
    return typical if typical > limits.SCATTER else None


Machine = tuple[str, str]


class ScreenedCase(NamedTuple):
    """A case with its series, and why it cannot be judged, if there is a reason."""

    case: Case
    every: Sequence[Series]
    refused: Refusal | None
    stale: Refusal | None
    """Why its accepted sessions tell nothing of it; where only the head can run, `refused`."""

    @property
    def machine(self) -> Machine:
        """Host class and fingerprint."""
        return self.case.head.host.host_class, self.case.head.host.fingerprint

    @property
    def guards(self) -> bool:
        """Whether no benchmark of the profile can be reached by the change."""
        planned = self.case.head.planned
        return bool(planned) and all(plan.control for plan in planned)


def machines_that_moved(
    suite: Sequence[ScreenedCase], noises: Mapping[SeriesKey, Noise]
) -> dict[Machine, Refusal]:
    """Machines that moved by what a control profile says, and which one."""
    found: dict[Machine, Refusal] = {}
    for one in suite:
        if not one.guards or one.stale is not None or is_renewed(one.case):
            continue
        if moved := moved_control(one.every, noises):
            text = f"the host moved: {moved.reason} (control profile {one.case.profile})"
            found.setdefault(one.machine, Refusal(moved.code, text))
    return found


def blind_controls(
    suite: Sequence[ScreenedCase], noises: Mapping[SeriesKey, Noise]
) -> tuple[str, ...]:
    """One sentence for each control profile that says less of the host than it should."""
    return tuple(
        f"control profile {one.case.profile}: {why}"
        for one in suite
        if one.guards and (why := _blind(one, noises))
    )


def _blind(one: ScreenedCase, noises: Mapping[SeriesKey, Noise]) -> str:
    if one.stale is not None:
        return f"it says nothing of the host, {one.stale.reason}"
    if is_renewed(one.case):
        return "it says nothing of the host, which moved since the control's own baseline"
    gates = [series for series in one.every if series.gates]
    if not gates:
        return "it says nothing of the host, none of its metrics may close the gate"
    reasons = [f"{series.label}: {why}" for series in gates if (why := _silent(series, noises))]
    share = f"{len(reasons)} of {len(gates)} metrics"
    return f"{share} say nothing of the host; {reasons[0]}" if reasons else ""


def _silent(series: Series, noises: Mapping[SeriesKey, Noise]) -> str:
    if (found := unfit(series)) is not None:
        return found.headline
    count = len(reference(series).sessions)
    few = f"{count} accepted sessions, {LEAST_SESSIONS} are needed"
    return "" if key_of(series) in noises else few
