"""What a report knows beside a finding's own numbers, as labelled lines in one order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.report.wording import around, diagnosis, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.model import Finding, Report
    from gate.model.report_rows import Latency, Sweep

CURVE, PAID, DECIDED, HISTORY = "curve", "who paid", "decided", "history"
MOVED = "moved with it"


class ContextLine(NamedTuple):
    """One thing to say of a finding."""

    label: str
    """Empty where the text says itself what it is."""
    text: str


def tellers(curve: Sweep) -> Iterator[tuple[str, str, str]]:
    """By profile, benchmark and metric what a curve is of: what is made of it, its points."""
    for metric in curve.made:
        yield curve.profile, curve.group, metric
    for point in curve.points:
        yield curve.profile, point.benchmark, curve.metric


def beside(report: Report, findings: Iterable[Finding]) -> list[tuple[ContextLine, ...]]:
    """For each finding its lines: curve, who paid, latency, what moved with it, decision, history.

    What is not known is left out. What several findings share, such as what their benchmark cost,
    or the history of their profile, is printed in full with the first of them only.
    """
    known = _Beside(report)
    return [
        tuple(ContextLine(label, text) for label, text in known.lines(finding) if text)
        for finding in findings
    ]


class _Beside:
    """The report's curves and bills, found by the benchmark they are of, and what was printed."""

    def __init__(self, report: Report) -> None:
        self._accepted = around.accepted_by_name(report)
        self._bills = {(one.profile, one.benchmark): one for one in report.bills}
        self._why = {(one.profile, one.benchmark): one for one in report.why}
        self._latencies: dict[tuple[str, str], list[Latency]] = {}
        for one in report.latencies:
            self._latencies.setdefault((one.profile, one.benchmark), []).append(one)
        self._sweeps: dict[tuple[str, str, str], list[Sweep]] = {}
        for curve in report.sweeps:
            for key in tellers(curve) if curve.told else ():
                self._sweeps.setdefault(key, []).append(curve)
        self._printed: set[object] = set()

    def lines(self, finding: Finding) -> Iterator[tuple[str, str]]:
        """Labels and texts; a text that is empty is not known."""
        key = (finding.profile, finding.benchmark)
        for curve in self._sweeps.get((*key, finding.metric), ()):
            first = self._first(CURVE, curve.profile, curve.group, curve.metric)
            yield CURVE, around.sweep(curve) if first else around.shape(curve)
        first = self._first(*key)
        if finding.paid:
            yield PAID, words.payers(finding)
        elif first and key in self._bills:
            yield PAID, around.bill(self._bills[key])
        if first:
            yield from (("", around.latency(one)) for one in self._latencies.get(key, ()))
            yield MOVED, diagnosis.movers(self._why[key]) if key in self._why else ""
        yield DECIDED, around.decision(finding)
        history = around.history(finding, self._accepted)
        if self._first(HISTORY, finding.profile, history):
            yield HISTORY, history

    def _first(self, *what: object) -> bool:
        """Whether this was not asked for before."""
        known = what in self._printed
        self._printed.add(what)
        return not known
