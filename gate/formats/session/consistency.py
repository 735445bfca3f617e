"""What no single field can say of a session or handover: whether its parts fit together.

Bounds of single fields stand in the model and are refused before.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from gate.formats import names
from gate.model import KINDS, UNSTEADY, Stage, TrialStatus
from gate.model.kernel_config import MOST_OPTIONS, is_option
from gate.model.patch_coverage import HOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gate.formats.toml import Path
    from gate.model import Handover, Kernel, Percentiles, Planned, Ran, Session, Touch, Trial
    from gate.model.diagnosis import Flame, Why

    Complaint = tuple[Path, str]
    """Where, and what is wrong there."""

T = TypeVar("T")

_BUILD_ID = re.compile(r"[0-9a-f]{0,128}")
KINDS_OF_IO = ("read", "write", "trim", "mixed")


def session_complaints(session: Session) -> Iterator[Complaint]:
    """Everything in a session that contradicts the format or itself."""
    for path, name in (
        (("profile",), session.profile),
        (("host", "host_class"), session.host.host_class),
        *((("controls",), name) for name in session.controls),
    ):
        if not names.is_plain(name):
            yield path, f"{name[:80]!r} is no plain name: {names.RULE}"
    if not session.id.isprintable() or not 0 < len(session.id) <= 200:
        yield ("id",), f"{session.id[:80]!r} is no printable name"
    if session.kernel is not None:
        yield from kernel_complaints(session.kernel)
    if not session.metrics and any(trial.values for trial in session.trials):
        # Harnesses give more values than a profile asks for, but none asks for nothing.
        yield ("metrics",), "no value of these trials has a unit"
    yield from _plan_complaints(session)
    for i, sequence in doubled(trial.sequence for trial in session.trials):
        yield ("trials", i, "sequence"), f"{sequence} stands twice"
    for i, trial in enumerate(session.trials):
        for key, what in _trial_complaints(trial):
            yield ("trials", i, key), what


def kernel_complaints(kernel: Kernel) -> Iterator[Complaint]:
    """What no kernel reports of itself."""
    if not _BUILD_ID.fullmatch(kernel.build_id):
        yield ("kernel", "build_id"), "is not hexadecimal, or too long"
    if len(kernel.config) > MOST_OPTIONS:
        count = f"{len(kernel.config)} options are more than the {MOST_OPTIONS} allowed"
        yield ("kernel", "config"), count
        return
    for name, value in kernel.config.items():
        if not is_option(name, value):
            yield ("kernel", "config", name[:80]), "is no option of a kernel"


def handover_complaints(handover: Handover) -> Iterator[Complaint]:
    """Everything in a handover, and in each of its sessions, that contradicts itself."""
    if handover.shard > handover.shards:
        yield ("shard",), f"must lie between 1 and {handover.shards}, not {handover.shard}"
    yield from why_complaints(handover.why)
    for i, name in doubled(session.id for session in handover.sessions):
        yield ("sessions", i, "id"), f"{name[:80]!r} stands twice"
    for i, session in enumerate(handover.sessions):
        for path, what in session_complaints(session):
            yield ("sessions", i, *path), what


def _plan_complaints(session: Session) -> Iterator[Complaint]:
    for i, name in doubled(plan.benchmark for plan in session.planned):
        yield ("planned", i, "benchmark"), f"{name[:80]!r} is planned twice"
    for i, plan in enumerate(session.planned):
        for key, what in _group_complaints(plan, session):
            yield ("planned", i, key), what
    for i, name in doubled(metric.name for metric in session.metrics):
        yield ("metrics", i, "name"), f"{name[:80]!r} stands twice"
    for i, metric in enumerate(session.metrics):
        if metric.negligible is not None and metric.negligible > metric.tolerance / 2:
            yield ("metrics", i, "negligible"), "must lie between 0 and half the tolerance"


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


def _trial_complaints(trial: Trial) -> Iterator[tuple[str, str]]:
    if (trial.status is TrialStatus.ASIDE) != bool(trial.aside):
        yield "aside", "a trial that was set aside has reasons, and no other has"
    for key, reasons in (("aside", trial.aside), ("marks", trial.marks)):
        if any(not is_disturbance(one.kind) for one in reasons):
            yield key, "there is no such kind of disturbance"
    if trial.marks and trial.status is not TrialStatus.OK:
        yield "marks", "only a trial that counts is marked"
    for _, name in doubled(value.metric for value in trial.values):
        yield "values", f"the metric {name[:80]!r} stands twice"
    for what in curve_complaints(trial.latencies):
        yield "latencies", what
    if trial.touch is not None:
        for what in touch_complaints(trial.touch):
            yield "touch", what


def is_disturbance(kind: str) -> bool:
    """Whether a trial can have been set aside for this."""
    return kind in KINDS or kind == UNSTEADY


def curve_complaints(curves: Sequence[Percentiles]) -> Iterator[str]:
    """Everything in a trial's completion latencies that is no curve, or stands twice."""
    for _, kind in doubled(curve.kind for curve in curves):
        yield f"{kind[:80]} stands twice"
    for curve in curves:
        if curve.kind not in KINDS_OF_IO:
            yield f"{curve.kind[:80]!r} is no kind of I/O: there are {', '.join(KINDS_OF_IO)}"
        if not is_rising(percent for percent, _ in curve.points):
            yield "percentiles ascend"
        if any(before > after for (_, before), (_, after) in pairwise(curve.points)):
            yield "latencies do not fall from one percentile to the next"


def is_rising(numbers: Iterable[float]) -> bool:
    """Whether each number is larger than the one before it."""
    return all(before < after for before, after in pairwise(numbers))


def touch_complaints(touch: Touch) -> Iterator[str]:
    """Everything in what a trial executed of a change that contradicts itself."""
    if touch.executed > touch.count or len(touch.functions) > touch.count:
        yield "more functions are named, or ran, than differ"
    if len(touch.ran) > touch.executed:
        yield "more functions are named among those that ran than ran"
    if any(how not in HOW for how in touch.functions.values()):
        yield f"a function is one of {', '.join(HOW)}"
    if not all(map(_has_run, touch.ran.values())):
        yield "what ran has executed something"


def _has_run(one: Ran) -> bool:
    """Whether either instructions or calls were counted, and not both."""
    low, high = sorted((one.instructions, one.calls))
    return low == 0.0 and high > 0.0


def why_complaints(rows: Sequence[Why]) -> Iterator[Complaint]:
    """Everything in what moved with regressions that contradicts itself."""
    for i, (_, benchmark) in doubled((row.profile, row.benchmark) for row in rows):
        yield ("why", i), f"{benchmark[:80]!r} stands twice"
    for i, row in enumerate(rows):
        if row.compared < len(row.movers):
            yield ("why", i, "compared"), "more counters moved than were compared"
        if row.flame is not None and not _is_tree(row.flame):
            what = "the frames are no tree: one root, and each at most one deeper than the last"
            yield ("why", i, "flame"), what


def _is_tree(flame: Flame) -> bool:
    depths = [frame.depth for frame in flame.frames]
    return depths[:1] in ([], [0]) and all(
        0 < after <= before + 1 for before, after in pairwise(depths)
    )


def doubled(items: Iterable[T]) -> Iterator[tuple[int, T]]:
    """What stood there before, with its position."""
    known: set[T] = set()
    for i, item in enumerate(items):
        if item in known:
            yield i, item
        known.add(item)
