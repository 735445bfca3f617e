"""What a page lays out: each finding with its plots, and the findings by benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Role, Verdict
from gate.report.plots.cpu_time import costs_plot, flame_plot
from gate.report.plots.curves import history_plot, latency_plot, sweep_plot
from gate.report.plots.losses import Bar, interval_bar, interval_plot, pairs_plot
from gate.report.plots.numbers import numbers
from gate.report.plots.trials import trials_plot
from gate.report.wording import around, words
from gate.report.wording.commands import ShellLine, commands_for
from gate.report.wording.finding_context import tellers
from gate.report.wording.links import profile_address
from gate.text import shorten
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.model import Accepted, Difference, Finding, Report
    from gate.model.diagnosis import Why
    from gate.report.plots.cpu_time import CostsPlot, FlamePlot
    from gate.report.plots.picture import Plot, Table

_LONGEST_NAME = 300

Place = tuple[str, str]
"""Profile and benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingDetails:
    """What the page shows of a finding beside its row: plots, history, commands."""

    interval: Plot | None
    trials: Plot | None
    pairs: Plot | None
    history: Plot | None
    numbers: Table | None
    accepted: str
    commands: tuple[ShellLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding, ready to print."""

    id: str
    """Place in the page; never made from a name."""
    finding: Finding
    benchmark: str
    metric: str
    verdict: str
    watch: bool
    sides: str
    loss: str
    bar: Bar | None
    details: FindingDetails | None
    """Absent where the row in the table is all."""

    @property
    def tone(self) -> str:
        """What its colour is of: a verdict that closes nothing is muted."""
        return "watched" if self.watch else self.verdict


def rows_of(report: Report, original: Report, *, most_plotted: int) -> list[FindingRow]:
    """A row for every finding of a scrubbed report, in its order.

    `original` is the report before that: a command names things as they are, or not at all. Of more
    findings than `most_plotted`, only so many that did not plainly pass have their evidence.
    """
    accepted = around.accepted_by_name(report)
    small = len(report.findings) <= most_plotted
    left = most_plotted
    rows = []
    for index, (finding, named) in enumerate(
        zip(report.findings, original.findings, strict=True), 1
    ):
        tell = small or (left > 0 and not words.plainly_passed(finding))
        left -= tell
        commands = commands_for(named, original) if tell else ()
        details = _evidence(finding, accepted, commands) if tell else None
        rows.append(row(index, finding, details))
    return rows


def _evidence(
    finding: Finding,
    accepted: Mapping[tuple[str, str], Accepted],
    commands: tuple[ShellLine, ...],
) -> FindingDetails:
    """What plainly passed asks for no action."""
    calm = words.plainly_passed(finding)
    return FindingDetails(
        interval=None if calm else interval_plot(finding),
        trials=trials_plot(finding),
        pairs=pairs_plot(finding),
        history=history_plot(finding, accepted),
        numbers=numbers(finding),
        accepted=around.history(finding, accepted),
        commands=() if calm else commands,
    )


def row(index: int, finding: Finding, details: FindingDetails | None = None) -> FindingRow:
    """The row of one finding."""
    return FindingRow(
        id=f"f{index}",
        finding=finding,
        benchmark=shorten(finding.benchmark, _LONGEST_NAME),
        metric=shorten(finding.metric, _LONGEST_NAME),
        verdict=finding.verdict.value,
        watch=finding.role is Role.WATCH,
        sides=words.sides(finding).replace("->", "→"),
        loss=percent(finding.loss),
        bar=interval_bar(finding),
        details=details,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSection:
    """One benchmark: its findings, and the plots of the benchmark as a whole."""

    id: str
    profile: str
    benchmark: str
    address: str
    """Of the profile as it is at the head commit; empty where that is not known."""
    rows: tuple[FindingRow, ...]
    sweeps: Sequence[Plot]
    costs: CostsPlot | None
    latencies: Sequence[Plot]
    why: Why | None
    flame: FlamePlot | None
    commands: tuple[ShellLine, ...]
    """What can be done about the worst of its findings; nothing where all plainly passed."""

    @property
    def calm(self) -> bool:
        """Whether all of it passed."""
        return all(row.verdict == "passed" for row in self.rows)


def sections(report: Report, rows: Sequence[FindingRow]) -> tuple[BenchmarkSection, ...]:
    """One for each benchmark with rows here, worst first; a sweep is shown with the first of it."""
    groups: dict[Place, list[FindingRow]] = {}
    for item in rows:
        groups.setdefault((item.finding.profile, item.finding.benchmark), []).append(item)
    swept = _first_of(report, groups)
    bills = {(one.profile, one.benchmark): one for one in report.bills}
    whys = {(one.profile, one.benchmark): one for one in report.why}
    curves: dict[Place, list[Plot]] = {}
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
            sweeps=swept.get(place, ()),
            costs=costs_plot(bills[place]) if place in bills else None,
            latencies=curves.get(place, ()),
            why=whys.get(place),
            flame=flame_plot(whys[place]) if place in whys else None,
            commands=items[0].details.commands if items[0].details else (),
        )
        for number, (place, items) in enumerate(groups.items(), 1)
    )


def _first_of(report: Report, groups: Iterable[Place]) -> dict[Place, list[Plot]]:
    watched = {(one.profile, one.metric) for one in report.findings if one.role is Role.WATCH}
    order = {place: number for number, place in enumerate(groups)}
    found: dict[Place, list[Plot]] = {}
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
    """The first of these rows; those of one benchmark, or alike and without a loss, are one."""
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


def todo_of(rows: Iterable[FindingRow]) -> dict[Verdict, tuple[ShellLine, ...]]:
    """For each verdict the commands for its worst finding; none where nothing can be done."""
    found: dict[Verdict, tuple[ShellLine, ...]] = dict.fromkeys(Verdict, ())
    for item in rows:
        own = item.finding
        commands = item.details.commands if item.details else ()
        if not found[own.verdict] and commands and not item.watch:
            explain = ShellLine("what it means", f"gate explain {own.code}")
            found[own.verdict] = (*commands, explain)
    return found


def areas(report: Report) -> tuple[tuple[str, tuple[Difference, ...]], ...]:
    """What differed, by area, in the report's order."""
    found: dict[str, list[Difference]] = {}
    for one in report.differences:
        found.setdefault(one.area, []).append(one)
    return tuple((area, tuple(some)) for area, some in found.items())


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
