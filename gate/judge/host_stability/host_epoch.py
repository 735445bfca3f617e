"""Whether the host is what it was when the newest sessions were accepted: its epoch facts.

A kernel, a microcode, a governor, a mitigation moves every number at once. So where one of these
moved, what was accepted says nothing of the change under test, and the class's policy decides:
refused, or new. Either way nothing is flagged, so no pair and no strike is spent on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gate.codes import PAGES
from gate.judge.verdict.findings import make_finding
from gate.model import EpochPolicy, Finding, Role, Verdict
from gate.model.host import changed_facts, describe_changed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.judge.verdict.screening import Flagged
    from gate.judge.verdict.series import Series
    from gate.judge.verdict.suite import Case, Suite
    from gate.model import AcceptedSession, Baseline
    from gate.model.host import Moved


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
        facts = changed_facts(session.epoch_facts, epoch)
        if facts:
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
    wants = case.baseline is not None and case.baseline.policy is EpochPolicy.NEW_BASELINE
    return wants and move_of(case) is not None


def as_new_epoch(series: Series, answer: Finding | Flagged) -> Finding | Flagged:
    """The answer for a series of such a case: new, whatever its numbers say.

    What is broken or missing stays so. Where pairs were handed in they still may prove a loss,
    for both of their sides were measured on the host as it is now.
    """
    if not isinstance(answer, Finding):
        return answer if series.case.pair_base is not None else _new(series)
    keeps = answer.verdict is Verdict.NEW or answer.verdict.rank > Verdict.INCONCLUSIVE.rank
    return answer if keeps else _new(series)


def renew_decisions(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """What pairs decided in such a case: a loss or a failure stands, all else is new."""
    renewed = {case.profile: case for case in suite.cases if is_renewed(case)}
    return tuple(
        _renewed(one, renewed[one.profile]) if one.profile in renewed else one for one in findings
    )


def _renewed(decided: Finding, case: Case) -> Finding:
    if decided.verdict is Verdict.NEW or decided.verdict.rank > Verdict.INCONCLUSIVE.rank:
        return decided
    advice = decided.advice if decided.role is Role.WATCH else PAGES["G011"].cure
    return replace(
        decided,
        code="G011",
        verdict=Verdict.NEW,
        headline=_reason(case),
        advice=advice,
        path=(
            *decided.path,
            "counted as new: the host is not what it was when sessions were accepted",
        ),
    )


def _new(series: Series) -> Finding:
    return make_finding(series, "G011", Verdict.NEW, _reason(series.case))


def _reason(case: Case) -> str:
    return f"no session was accepted of the host as it is now: {move_of(case)}"
