"""The findings by benchmark, each benchmark with its curves and its bill: what a page lays out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from gate.model import Role, Verdict
from gate.report.plots.cpu_time import costs_plot, flame_plot
from gate.report.plots.curves import latency_plot, sweep_plot
from gate.report.wording import around, diagnosis, words
from gate.report.wording.commands import ShellLine
from gate.report.wording.finding_context import tellers
from gate.report.wording.links import profile_address
from gate.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.model import Difference, Finding, Report
    from gate.model.diagnosis import Why
    from gate.report.html.rows import FindingRow
    from gate.report.plots.cpu_time import CostsPlot, FlamePlot
    from gate.report.plots.curves import Chart

T = TypeVar("T")
_LONGEST_NAME = 300
_MOST_SUBJECTS = 3

Place = tuple[str, str]
"""Profile and benchmark."""


class PlotInPage(NamedTuple, Generic[T]):
    """A plot and its place in the page."""

    id: str
    plot: T


class DiagnosisView(NamedTuple):
    """What moved with a regression, ready to be drawn."""

    why: Why
    line: str
    flame: FlamePlot | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSection:
    """One benchmark: its findings, and the plots of the benchmark as a whole."""

    id: str
    profile: str
    benchmark: str
    address: str
    """Of the profile as it is at the head commit; empty where that is not known."""
    rows: tuple[FindingRow, ...]
    sweeps: tuple[PlotInPage[Chart], ...]
    costs: tuple[PlotInPage[CostsPlot], ...]
    latencies: tuple[PlotInPage[Chart], ...]
    why: DiagnosisView | None
    """What moved with its regression, in extra runs."""
    commands: tuple[ShellLine, ...]
    """What can be done about the worst of its findings; nothing where all plainly passed."""

    @property
    def calm(self) -> bool:
        """Whether all of it passed."""
        return all(row.verdict == "passed" for row in self.rows)


def sections(report: Report, rows: Sequence[FindingRow]) -> tuple[BenchmarkSection, ...]:
    """One section for each benchmark that has rows here, in the order of the worst of them.

    A sweep is shown once, with the first benchmark that is a point of it.
    """
    groups: dict[Place, list[FindingRow]] = {}
    for item in rows:
        groups.setdefault((item.finding.profile, item.finding.benchmark), []).append(item)
    swept = _first_of(report, groups)
    bills = {(one.profile, one.benchmark): one for one in report.bills}
    whys = {
        (one.profile, one.benchmark): DiagnosisView(one, diagnosis.movers(one), flame_plot(one))
        for one in report.why
    }
    curves: dict[Place, list[Chart]] = {}
    for latency in report.latencies:
        place = (latency.profile, latency.benchmark)
        plot = latency_plot(latency) if place in groups else None
        if plot:
            curves.setdefault(place, []).append(plot)
    return tuple(
        BenchmarkSection(
            id=f"b{number}",
            profile=place[0],
            benchmark=shorten(place[1], _LONGEST_NAME),
            address=profile_address(report, place[0]),
            rows=tuple(items),
            sweeps=_numbered_plots(f"b{number}s", swept.get(place, ())),
            costs=_numbered_plots(
                f"b{number}c", [costs_plot(bills[place])] if place in bills else ()
            ),
            latencies=_numbered_plots(f"b{number}l", curves.get(place, ())),
            why=whys.get(place),
            commands=items[0].details.commands if items[0].details else (),
        )
        for number, (place, items) in enumerate(groups.items(), 1)
    )


def _numbered_plots(start: str, plots: Iterable[T]) -> tuple[PlotInPage[T], ...]:
    return tuple(PlotInPage(f"{start}{n}", plot) for n, plot in enumerate(plots, 1))


def _first_of(report: Report, groups: Iterable[Place]) -> dict[Place, list[Chart]]:
    """By the place that shows them, the sweeps' plots."""
    watched = {(one.profile, one.metric) for one in report.findings if one.role is Role.WATCH}
    order = {place: number for number, place in enumerate(groups)}
    found: dict[Place, list[Chart]] = {}
    for sweep in report.sweeps:
        names = (sweep.group, *(point.benchmark for point in sweep.points))
        places = [(sweep.profile, name) for name in names if (sweep.profile, name) in order]
        closes_nothing = (sweep.profile, sweep.metric) in watched
        plot = sweep_plot(sweep, watched=closes_nothing) if places else None
        if plot:
            found.setdefault(min(places, key=order.__getitem__), []).append(plot)
    return found


class Worst(NamedTuple):
    """A finding of the first screen, and those that stand with it."""

    row: FindingRow
    others: tuple[FindingRow, ...]
    """Those that closed for the very same reason."""
    also: tuple[FindingRow, ...]
    """Milder ones of the same benchmark."""


def worst_of(rows: Sequence[FindingRow], most: int) -> tuple[Worst, ...]:
    """The first of these rows; what is of one benchmark, or has no loss and says the same, is one.

    A benchmark's findings are often of one event, of which the worst says most.
    """
    found: dict[object, list[FindingRow]] = {}
    for item in rows:
        own = item.finding
        reason = (own.verdict, own.code, own.headline)
        found.setdefault(reason if item.bar is None else _place(own), []).append(item)
    return tuple(
        Worst(first, tuple(more), ()) if first.bar is None else Worst(first, (), tuple(more))
        for first, *more in list(found.values())[:most]
    )


def _place(finding: Finding) -> Place:
    return finding.profile, finding.benchmark


def shapes(report: Report, worst: Sequence[Worst]) -> dict[str, str]:
    """By the row that shows it, how a swept curve changed its shape: each curve once."""
    found: dict[str, str] = {}
    rows = [row for one in worst for row in (one.row, *one.also)]
    for sweep in report.sweeps:
        places = set(tellers(sweep)) if sweep.told else ()
        for row in rows:
            if (*_place(row.finding), row.finding.metric) in places and row.id not in found:
                found[row.id] = around.shape(sweep)
                break
    return found


def causes(report: Report, worst: Sequence[Worst]) -> dict[str, str]:
    """By the row that shows it, who pays most of what its benchmark costs more."""
    bills = {(one.profile, one.benchmark): one for one in report.bills}
    found = {}
    for row in (one.row for one in worst):
        own = row.finding
        bill = bills.get(_place(own)) if own.verdict is Verdict.REGRESSED else None
        rise = around.rise(bill, own.negligible) if bill else ""
        if rise:
            found[row.id] = rise.replace("->", "→")
    return found


class Todo(NamedTuple):
    """The commands for the worst finding of a verdict."""

    of: str
    commands: tuple[ShellLine, ...]


def todo_of(rows: Iterable[FindingRow]) -> dict[Verdict, Todo | None]:
    """For each verdict what can be done about its worst finding; None where nothing can."""
    found: dict[Verdict, Todo | None] = dict.fromkeys(Verdict)
    for item in rows:
        own = item.finding
        commands = item.details.commands if item.details else ()
        if found[own.verdict] is None and commands and not item.watch:
            explain = ShellLine("what it means", f"gate explain {own.code}")
            found[own.verdict] = Todo(own.metric, (*commands, explain))
    return found


def areas(report: Report) -> tuple[tuple[str, tuple[Difference, ...]], ...]:
    """What differed, by area, in the report's order."""
    found: dict[str, list[Difference]] = {}
    for one in report.differences:
        found.setdefault(one.area, []).append(one)
    return tuple((area, tuple(some)) for area, some in found.items())


def sides(report: Report) -> tuple[tuple[str, str], ...]:
    """What was under test, each side once for all profiles that agree on it."""
    found = []
    for side in ("base", "head"):
        texts = dict.fromkeys(
            text for key, text in report.subjects.items() if key.endswith(f" {side}")
        )
        if texts:
            more = len(texts) - _MOST_SUBJECTS
            shown = "; ".join(list(texts)[:_MOST_SUBJECTS])
            found.append((side, f"{shown}; and {more} more" if more > 0 else shown))
    return tuple(found)


def parts(report: Report, *, evidence: bool) -> tuple[tuple[str, str], ...]:
    """The sections that the page has, for its list of contents."""
    beside = report.differences, report.alike, report.changes, report.aside, report.touched
    differed = any(beside)
    return (
        *((("evidence", "The evidence"),) if evidence else ()),
        ("next", words.NEXT),
        *((("differed", words.DIFFERED),) if differed else ()),
        ("findings", words.ALL),
        *((("sure", "How sure this is"),) if report.host and words.promises(report) else ()),
        ("host", words.HOST),
        ("words", "Words"),
    )
