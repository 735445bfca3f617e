"""What no type can say of a session or report: counts, names and numbers that fit together.

What no type can say of a trial's completion latencies: that they are a curve at all.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.formats import bounds, names
from gate.formats.baseline.kernel_file import kernel_complaints
from gate.formats.session.consistency_shown import (
    shown_complaints,
    touch_complaints,
    why_complaints,
)
from gate.model import KINDS, MOST_FUNCTIONS, UNSTEADY, Role, Stage, TrialStatus, Verdict, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.formats.toml import Path
    from gate.model import (
        Calibration,
        Handover,
        Metric,
        Percentiles,
        Planned,
        Report,
        Session,
        Trial,
    )


_KINDS = ("read", "write", "trim", "mixed")
_MOST_POINTS = 64


def curve_complaints(trial: Trial) -> Iterator[str]:
    """Everything in a trial's latencies that contradicts itself, one kind after the other."""
    if len(trial.latencies) > len(_KINDS):
        yield f"{len(trial.latencies)} are more than the {len(_KINDS)} kinds of I/O"
        return
    kinds = [one.kind for one in trial.latencies]
    for kind in dict.fromkeys(kinds):
        if kind not in _KINDS:
            yield f"{kind[:80]!r} is no kind of I/O: there are {', '.join(_KINDS)}"
        elif kinds.count(kind) > 1:
            yield f"{kind} stands twice"
    for one in trial.latencies:
        what = _wrong(one)
        if what:
            yield what


def _wrong(curve: Percentiles) -> str:
    """The first thing that is wrong with one curve; empty where nothing is."""
    percents = [percent for percent, _ in curve.points]
    seconds = [latency for _, latency in curve.points]
    if curve.samples < 1:
        return "there are latencies of no I/O"
    if not 1 <= len(percents) <= _MOST_POINTS:
        return f"there are between 1 and {_MOST_POINTS} percentiles, not {len(percents)}"
    if not all(0 < percent < 100 for percent in percents):
        return "a percentile lies above 0 and below 100"
    if any(before >= after for before, after in pairwise(percents)):
        return "percentiles ascend"
    if min(seconds) < 0:
        return "a latency must not be negative"
    if any(before > after for before, after in pairwise(seconds)):
        return "latencies do not fall from one percentile to the next"
    return ""


Complaint = tuple["Path", str]
"""Where, and what is wrong there."""

_MOST_TRIALS = 100_000
_MOST_PAIRS = 1000
_TOLERANCES = (0.001, 5.0)
_MOST_SESSIONS = 10_000
MOST_SHARDS = 256
"""As many jobs as GitHub runs of one matrix."""
ERROR = "error"
"""The verdict of a check that was never judged."""
ERROR_STATUSES = frozenset({1, 2, 3, 4, 5, 6, 129, 130, 143})
"""What a check ends with that was never judged."""


def session_complaints(session: Session) -> Iterator[Complaint]:
    """Everything in a session that contradicts the format or itself."""
    for path, name in (
        (("profile",), session.profile),
        (("host", "host_class"), session.host.host_class),
    ):
        if not names.is_plain(name):
            yield path, f"{name[:80]!r} is no plain name: {names.RULE}"
    if not session.id.isprintable() or not 0 < len(session.id) <= 200:
        yield ("id",), f"{session.id[:80]!r} is no printable name"
    if session.loud not in {"raise", "refuse"}:
        yield ("loud",), f'must be "raise" or "refuse", not {session.loud[:80]!r}'
    if not 1 <= session.pairs <= _MOST_PAIRS:
        yield ("pairs",), f"must lie between 1 and {_MOST_PAIRS}, not {session.pairs}"
    yield from bounds.complaints(session)
    if session.kernel is not None:
        yield from kernel_complaints(session.kernel)
    if not session.metrics and any(trial.values for trial in session.trials):
        # Harnesses give more values than a profile asks for, but none asks for nothing.
        yield ("metrics",), "no value of these trials has a unit"
    yield from _control_complaints(session)
    yield from _plan_complaints(session)
    sequences: set[int] = set()
    for i, trial in enumerate(session.trials):
        for key, what in _trial_complaints(trial, sequences):
            yield ("trials", i, key), what
        sequences.add(trial.sequence)


def handover_complaints(handover: Handover) -> Iterator[Complaint]:
    """Everything in a handover, and in each of its sessions, that contradicts itself."""
    if not 1 <= handover.shards <= MOST_SHARDS:
        yield ("shards",), f"must lie between 1 and {MOST_SHARDS}, not {handover.shards}"
    elif not 1 <= handover.shard <= handover.shards:
        yield ("shard",), f"must lie between 1 and {handover.shards}, not {handover.shard}"
    if len(handover.sessions) > _MOST_SESSIONS:
        yield ("sessions",), f"{len(handover.sessions)} are more than the {_MOST_SESSIONS} allowed"
        return
    yield from bounds.complaints(replace(handover, sessions=(), why=()))
    yield from why_complaints(handover.why)
    for i in _doubled(session.id for session in handover.sessions):
        yield ("sessions", i, "id"), f"{handover.sessions[i].id[:80]!r} stands twice"
    for i, session in enumerate(handover.sessions):
        for path, what in session_complaints(session):
            yield ("sessions", i, *path), what


def _control_complaints(session: Session) -> Iterator[Complaint]:
    for name, runs in session.controls.items():
        if not names.is_plain(name):
            yield ("controls",), f"{name[:80]!r} is no plain name: {names.RULE}"
        elif not runs or min(runs) <= 0:
            yield ("controls", name), "every run takes more than no time, and there is one"


def _plan_complaints(session: Session) -> Iterator[Complaint]:
    if session.left_out < 0:
        yield ("left_out",), f"must not be negative, as {session.left_out} is"
    for i in _doubled(plan.benchmark for plan in session.planned):
        name = session.planned[i].benchmark
        yield ("planned", i, "benchmark"), f"{name[:80]!r} is planned twice"
    for i, plan in enumerate(session.planned):
        if not 0 <= plan.trials <= _MOST_TRIALS:
            yield ("planned", i, "trials"), f"must lie between 0 and {_MOST_TRIALS}"
    for i, plan in enumerate(session.planned):
        for key, what in _group_complaints(plan, session):
            yield ("planned", i, key), what
    for i in _doubled(metric.name for metric in session.metrics):
        yield ("metrics", i, "name"), f"{session.metrics[i].name[:80]!r} stands twice"
    for i, metric in enumerate(session.metrics):
        for key, what in _metric_complaints(metric):
            yield ("metrics", i, key), what


def _group_complaints(plan: Planned, session: Session) -> Iterator[tuple[str, str]]:
    """A group is of points, and a screen holds the points that it is made of."""
    if not plan.group:
        if plan.members:
            yield "members", "only a group has members"
        return
    if len(plan.members) < 2 or len(set(plan.members)) < len(plan.members):
        yield "members", "a group has two different members at least"
    points = {one.benchmark: one for one in session.planned if not one.group}
    for name in plan.members:
        if name not in points:
            if session.stage is Stage.SCREEN:
                yield "members", f"{name[:80]!r} is no benchmark of this session"
        elif points[name].trials < plan.trials:
            yield "trials", f"{name[:80]!r} has fewer trials than the group made of it"


def _metric_complaints(metric: Metric) -> Iterator[tuple[str, str]]:
    least, most = _TOLERANCES
    if not least <= metric.tolerance <= most:
        yield "tolerance", f"must lie between {least} and {most:g}, not {metric.tolerance:g}"
    if metric.negligible is not None and not 0 <= metric.negligible <= metric.tolerance / 2:
        yield "negligible", "must lie between 0 and half the tolerance"
    if metric.floor is not None and metric.floor < 0:
        yield "floor", "must not be negative"
    if metric.derived is not None and not (metric.derived.over and metric.derived.of):
        yield "derived", "must name a metric and a parameter"


def _trial_complaints(trial: Trial, before: set[int]) -> Iterator[tuple[str, str]]:
    if trial.sequence < 0:
        yield "sequence", f"must not be negative, as {trial.sequence} is"
    if trial.sequence in before:
        yield "sequence", f"{trial.sequence} stands twice"
    for key in ("duration", "pair", "slot"):
        if (getattr(trial, key) or 0) < 0:
            yield key, "must not be negative"
    if (trial.status is TrialStatus.ASIDE) != bool(trial.aside):
        yield "aside", "a trial that was set aside has reasons, and no other has"
    if any(one.kind not in KINDS and one.kind != UNSTEADY for one in trial.aside):
        yield "aside", "there is no such kind of disturbance"
    if any(value.resolution < 0 for value in trial.values):
        yield "values", "a resolution must not be negative"
    for i in _doubled(value.metric for value in trial.values):
        yield "values", f"the metric {trial.values[i].metric[:80]!r} stands twice"
    yield from _detail_complaints(trial)


def _detail_complaints(trial: Trial) -> Iterator[tuple[str, str]]:
    """The same of what a trial keeps beside its values."""
    for what in curve_complaints(trial):
        yield "latencies", what
    if trial.touch is not None:
        yield from touch_complaints(trial.touch)
    if len(trial.functions) > MOST_FUNCTIONS or any(v <= 0 for v in trial.functions.values()):
        yield "functions", f"are at most {MOST_FUNCTIONS}, each above zero"


def _doubled(items: Iterable[str]) -> Iterator[int]:
    """Positions of what stood there before."""
    seen: set[str] = set()
    for i, item in enumerate(items):
        if item in seen:
            yield i
        seen.add(item)


def report_complaints(report: Report) -> Iterator[Complaint]:
    """Everything in a report that contradicts the format or itself."""
    if report.gate not in {"open", "closed"}:
        yield ("gate",), f'must be "open" or "closed", not {report.gate[:80]!r}'
    elif (report.gate == "open") != (report.exit_status == 0):
        yield ("exit_status",), f"{report.exit_status} is not that of a gate {report.gate}"
    yield from _verdict_complaints(report)
    if report.calibration is not None:
        yield from _calibration_complaints(report.calibration)
    yield from shown_complaints(report)
    for i, finding in enumerate(report.findings):
        evidence = finding.evidence
        if len(evidence.pairs_base) != len(evidence.pairs_head):
            yield ("findings", i, "evidence"), "pairs_base and pairs_head differ in length"
        if len(evidence.baseline_sessions) not in {0, len(evidence.baseline)}:
            yield ("findings", i, "evidence"), "baseline_sessions names other sessions"


def _verdict_complaints(report: Report) -> Iterator[Complaint]:
    worst = join(finding.verdict for finding in report.findings if finding.role is Role.GATE)
    if report.verdict == ERROR:
        if worst is Verdict.REGRESSED:
            yield ("verdict",), "an error hides no regression"
        if report.gate == "open" or report.exit_status not in ERROR_STATUSES:
            yield ("exit_status",), f"{report.exit_status} is not that of an error"
    elif worst is None or report.verdict != worst.value:
        yield ("verdict",), f"{report.verdict[:80]!r} is not the worst of the findings"
    elif report.exit_status != worst.exit_status and (worst, report.exit_status) != (
        Verdict.NEW,
        0,
    ):
        yield ("exit_status",), f"{report.exit_status} is not that of {worst.value}"


def _calibration_complaints(known: Calibration) -> Iterator[Complaint]:
    """Shares of less than they are of."""
    if not 0 <= known.false_alarms + known.undecided <= known.unchanged:
        yield ("calibration",), "false_alarms and undecided are no parts of unchanged"
    for i, one in enumerate(known.planted):
        if not 0 <= one.found + one.missed <= one.rounds or min(one.found, one.missed) < 0:
            yield ("calibration", "planted", i), "found and missed are no parts of rounds"
