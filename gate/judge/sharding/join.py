"""Reports of parts of one suite, joined: the worst verdict, every finding, the sum of promises."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from gate.errors import NothingCompared
from gate.judge.context.differences import alike_of, merge_differences
from gate.judge.judge import importance
from gate.judge.summary import headline
from gate.judge.verdict.absent import ERROR
from gate.model import Report, Role, SuitePromise, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gate.model import Alike, Calibration, Edit, SetAside

T = TypeVar("T")


def join_reports(reports: Sequence[Report]) -> Report:
    """One report of all: closed where one is, with the worst verdict and its exit status.

    A part that could not be judged makes the whole an error, unless another part proves a
    regression. The order of the reports does not matter, and one alone is joined to itself. The
    bound alpha of the whole is the sum of the parts', as each part may err by itself.

    Raises:
        NothingCompared: there is no report.
    """
    if not reports:
        raise NothingCompared(
            "G280", "no report was given.", cure="Hand in those of every part of the check."
        )
    if len(reports) == 1:
        return reports[0]
    parts = sorted(reports, key=lambda one: (one.profiles, one.created, repr(one)))
    findings = tuple(
        sorted(
            (finding for one in parts for finding in one.findings),
            key=lambda finding: (importance(finding), repr(finding)),
        )
    )
    worst = max(parts, key=_badness)
    is_open = all(one.gate == "open" for one in parts)
    return Report(
        schema=worst.schema,
        gate="open" if is_open else "closed",
        verdict=worst.verdict,
        exit_status=worst.exit_status,
        headline=_headline(parts, worst, is_open=is_open),
        created=max(one.created for one in parts),
        profiles=tuple(sorted({name for one in parts for name in one.profiles})),
        findings=findings,
        host=next((one.host for one in parts if one.host is not None), None),
        tools=_together(one.tools for one in parts),
        notes=_once((*_where(parts), *(note for one in parts for note in one.notes))),
        promise=SuitePromise(
            alpha=min(1.0, sum(one.promise.alpha for one in parts)),
            beta=max(one.promise.beta for one in parts),
            metrics_judged=sum(one.promise.metrics_judged for one in parts),
            metrics_flagged=sum(one.promise.metrics_flagged for one in parts),
        ),
        subjects=_together(one.subjects for one in parts),
        conditions=_once(text for one in parts for text in one.conditions),
        edits=_edits(parts),
        accepted=tuple(
            sorted(
                _each((one.accepted for one in parts), lambda row: (row.profile, row.session)),
                key=lambda row: (row.profile, row.started, row.session),
            )
        ),
        bills=_each((one.bills for one in parts), lambda row: (row.profile, row.benchmark)),
        latencies=_each(
            (one.latencies for one in parts), lambda row: (row.profile, row.benchmark, row.kind)
        ),
        sweeps=_each(
            (one.sweeps for one in parts), lambda row: (row.profile, row.group, row.metric)
        ),
        differences=merge_differences(row for one in parts for row in one.differences),
        alike=_alike(parts),
        changes=tuple(dict.fromkeys(one for part in parts for one in part.changes)),
        aside=_aside(parts),
        origin=next((one.origin for one in parts if one.origin is not None), None),
        calibration=_calibration(parts),
        why=_each((one.why for one in parts), lambda row: (row.profile, row.benchmark)),
        touched=_each((one.touched for one in parts), lambda row: (row.profile,)),
    )


def _each(tables: Iterable[Sequence[T]], name: Callable[[T], tuple[str, ...]]) -> tuple[T, ...]:
    """The rows of all parts by what they are of; of two of the same thing the first part's."""
    found: dict[tuple[str, ...], T] = {}
    for table in tables:
        for row in table:
            found.setdefault(name(row), row)
    return tuple(found[key] for key in sorted(found))


def _aside(parts: Iterable[Report]) -> tuple[SetAside, ...]:
    """Every row as often as the part says that says it most often: two sessions may say the same.

    The parts are of different profiles, and only a part that was handed in twice repeats them.
    """
    often: Counter[SetAside] = Counter()
    for one in parts:
        often |= Counter(one.aside)
    return tuple(sorted(often.elements(), key=lambda row: row.profile))


def _alike(parts: Iterable[Report]) -> tuple[Alike, ...]:
    """Sums: each part compared the facts of its own machine and profiles."""
    counted: Counter[str] = Counter()
    for one in parts:
        counted.update({row.area: row.count for row in one.alike})
    return alike_of(counted)


def _badness(report: Report) -> tuple[float, int]:
    """Which report's verdict and exit status are those of the whole; of errors any one rule."""
    if report.verdict == ERROR:
        return Verdict.REGRESSED.rank - 0.5, -report.exit_status
    return Verdict(report.verdict).rank, report.exit_status


def _headline(parts: Sequence[Report], worst: Report, *, is_open: bool) -> str:
    gating = [f for one in parts for f in one.findings if f.role is Role.GATE]
    classes = _classes(parts)
    whence = f"host class {', '.join(classes)}" if classes else "no host"
    if worst.verdict == ERROR:
        return worst.headline
    return headline(gating, whence, is_open=is_open)


def _classes(parts: Iterable[Report]) -> list[str]:
    return sorted({one.host.host_class for one in parts if one.host is not None})


def _where(parts: Sequence[Report]) -> tuple[str, ...]:
    """How many parts there are, and where they were measured, if not all in one place."""
    classes = _classes(parts)
    told = [f"joined from {len(parts)} parts"]
    machines = {one.host.fingerprint for one in parts if one.host is not None}
    if len(classes) > 1:
        told.append(f"the parts were measured on several host classes: {', '.join(classes)}")
    elif len(machines) > 1:
        told.append(f"the parts were measured on {len(machines)} machines; the facts are of one")
    return tuple(told)


def _together(tables: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """All entries by key; where the parts differ, each value once."""
    found: dict[str, dict[str, None]] = {}
    for table in tables:
        for key, value in table.items():
            found.setdefault(key, {})[value] = None
    return {key: ", ".join(sorted(found[key])) for key in sorted(found)}


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _edits(parts: Iterable[Report]) -> tuple[Edit, ...]:
    """Each edit once, loosening first: every part saw the same tree."""
    every = dict.fromkeys(edit for one in parts for edit in one.edits)
    return tuple(
        sorted(
            every,
            key=lambda edit: (
                not edit.loosens,
                edit.profile,
                edit.benchmark,
                edit.metric,
                edit.code,
                edit.headline,
            ),
        )
    )


def _calibration(parts: Sequence[Report]) -> Calibration | None:
    """The record of the part that has the most against it: they cannot be added up.

    The parts are of other profiles and of one class, whose rounds may be the same ones.
    """
    known = [one.calibration for one in parts if one.calibration is not None]
    return max(known, key=lambda one: (len(one.unfit), one.false_alarms, repr(one)), default=None)
