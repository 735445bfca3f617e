"""`baselines/<host-class>/<profile>.toml`: written for the reviewer of a pull request.

One block per accepted session with who and why, one block per series, one short line per session
in it. Sorted, so that two branches that touch different benchmarks merge. The line that opens an
epoch carries a comment that says what moved and why.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import median
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from gate.errors import InputError
from gate.files import checked, disk
from gate.files import toml_text as toml
from gate.model import (
    SCHEMA,
    AcceptedSession,
    Baseline,
    BaselinePoint,
    BaselineSeries,
    Better,
)
from gate.units import percent, show, show_pair

if TYPE_CHECKING:
    from pathlib import Path

_FORM = ConfigDict(extra="forbid", allow_inf_nan=False)
HOST_FILE = "host.toml"
WAIVER_FILE = "waivers.toml"


class SessionForm(BaseModel):
    """`[session."ID"]`: one accepted session."""

    model_config = _FORM
    reason: str = Field(min_length=1)
    by: str
    accepted: str
    started: str
    commit: str = ""
    subject: str = ""
    boot: str = ""
    fingerprint: str = ""
    digest: str
    tools: dict[str, str] = {}
    epoch_facts: dict[str, str] = {}


class PointForm(BaseModel):
    """One line of a series."""

    model_config = _FORM
    session: str
    epoch: int = Field(ge=1)
    median: float
    values: list[float] = Field(min_length=1)


class SeriesForm(BaseModel):
    """`[series."BENCHMARK"."METRIC"]`."""

    model_config = _FORM
    unit: str
    better: Better
    sessions: list[PointForm] = Field(min_length=1)


class BaselineForm(BaseModel):
    """The accepted sessions of one host class and profile."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, title="driftgate baseline")
    schema_number: int = Field(alias="schema")
    profile: str
    host_class: str
    harness: str
    profile_digest: str
    session: dict[str, SessionForm] = {}
    series: dict[str, dict[str, SeriesForm]] = {}


class HostForm(BaseModel):
    """`host.toml`: the stable facts of a host class."""

    model_config = _FORM
    schema_number: int = Field(alias="schema")
    host_class: str
    stable: dict[str, str]


@cache
def adapter() -> TypeAdapter[BaselineForm]:
    """Validator of baselines, built once."""
    return TypeAdapter(BaselineForm)


@cache
def host_adapter() -> TypeAdapter[HostForm]:
    """Validator of host files, built once."""
    return TypeAdapter(HostForm)


def read_baselines(directory: Path) -> tuple[Baseline, ...]:
    """Every baseline under a directory, sorted by host class and profile.

    A directory that does not exist holds none; one that cannot be read is an error.

    Raises:
        InputError: a file is malformed, or contradicts its place.
    """
    if disk.is_absent(directory):
        return ()
    if not directory.is_dir():
        raise InputError(
            "G201", "is not a directory.", cure="Check --baseline.", place=str(directory)
        )
    try:
        classes = sorted(entry for entry in directory.iterdir() if entry.is_dir())
        files = [path for entry in classes for path in sorted(entry.glob("*.toml"))]
    except OSError as error:
        raise InputError(
            "G201", f"cannot be listed: {error.strerror}.", place=str(directory)
        ) from error
    return tuple(read_baseline(path) for path in files if path.name != HOST_FILE)


def read_baseline(path: Path) -> Baseline:
    """Read one baseline with the host facts beside it.

    Raises:
        InputError: malformed, of another schema, or contradicting its place.
    """
    text = disk.read_text(path, "baseline")
    data = checked.parse_toml(text, str(path))
    checked.check_schema(data, text=text, place=str(path), kind="toml")
    form = checked.validate(adapter(), data, text=text, place=str(path), kind="toml")
    _check_place(path, form)
    sessions = tuple(_session(name, one) for name, one in form.session.items())
    return Baseline(
        profile=form.profile,
        profile_digest=form.profile_digest,
        harness=form.harness,
        host_class=form.host_class,
        stable=_read_host(path.parent / HOST_FILE, form.host_class),
        sessions=tuple(sorted(sessions, key=lambda s: (s.started, s.id))),
        series=tuple(
            _series(path, benchmark, metric, one, form)
            for benchmark, metrics in form.series.items()
            for metric, one in metrics.items()
        ),
        path=str(path),
    )


def _check_place(path: Path, form: BaselineForm) -> None:
    for what, said, place in (
        ("profile", form.profile, path.stem),
        ("host_class", form.host_class, path.parent.name),
    ):
        if said != place:
            raise InputError(
                "G206",
                f"{what} is {said!r}, but the file stands where {place!r} belongs.",
                cure="Move the file back, or accept a baseline anew.",
                place=str(path),
            )


def _session(name: str, form: SessionForm) -> AcceptedSession:
    return AcceptedSession(
        id=name,
        profile_digest=form.digest,
        **form.model_dump(exclude={"digest"}),
    )


def _series(
    path: Path, benchmark: str, metric: str, form: SeriesForm, whole: BaselineForm
) -> BaselineSeries:
    seen: set[str] = set()
    for point in form.sessions:
        wrong = _wrong_point(point, whole, seen)
        if wrong:
            raise InputError(
                "G206",
                f"{benchmark} {metric}: session {point.session!r} {wrong}.",
                cure="Do not edit baselines by hand: restore it, or accept anew.",
                place=str(path),
            )
        seen.add(point.session)
    order = {name: (one.started, name) for name, one in whole.session.items()}
    points = sorted(form.sessions, key=lambda p: (p.epoch, order[p.session]))
    return BaselineSeries(
        benchmark=benchmark,
        metric=metric,
        unit=form.unit,
        better=form.better,
        points=tuple(
            BaselinePoint(session=p.session, epoch=p.epoch, values=tuple(p.values)) for p in points
        ),
    )


def _wrong_point(point: PointForm, whole: BaselineForm, seen: set[str]) -> str | None:
    if point.session not in whole.session:
        return "has no [session] block"
    if point.session in seen:
        return "stands there twice"
    if min(point.values) <= 0:
        return "has values that are not above zero"
    if not math.isclose(point.median, median(point.values), rel_tol=1e-9):
        return "has a median that is not that of its values"
    return None


def read_stable(directory: Path, *, host_class: str) -> dict[str, str] | None:
    """What a host of a class must be; None where nothing was accepted of the class.

    Raises:
        InputError: the host file is malformed, or of another class.
    """
    path = directory / host_class / HOST_FILE
    return None if disk.is_absent(path) else _read_host(path, host_class)


def _read_host(path: Path, host_class: str) -> dict[str, str]:
    text = disk.read_text(path, "profile")
    data = checked.parse_toml(text, str(path))
    checked.check_schema(data, text=text, place=str(path), kind="toml")
    form = checked.validate(host_adapter(), data, text=text, place=str(path), kind="toml")
    if form.host_class != host_class:
        raise InputError(
            "G206", f"host_class is {form.host_class!r}, not {host_class!r}.", place=str(path)
        )
    return dict(form.stable)


def write_baseline(directory: Path, baseline: Baseline) -> Path:
    """Write a baseline and, if it is the first of its class, the host's facts; returns its path.

    Raises:
        InputError: a file cannot be written; what was there is unchanged.
    """
    place = directory / baseline.host_class
    host = place / HOST_FILE
    if disk.is_absent(host):
        disk.write_text(host, host_text(baseline))
    path = place / f"{baseline.profile}.toml"
    disk.write_text(path, baseline_text(baseline))
    return path


def host_text(baseline: Baseline) -> str:
    """`host.toml`: what a machine must be to belong to this class."""
    facts = [f"{toml.key(k)} = {toml.string(v)}" for k, v in sorted(baseline.stable.items())]
    return "\n".join(
        [
            "# What a machine must be to be compared with the baselines beside this file.",
            f"schema = {SCHEMA}",
            f"host_class = {toml.string(baseline.host_class)}",
            "",
            "[stable]",
            *facts,
            "",
        ]
    )


def baseline_text(baseline: Baseline) -> str:
    """The canonical text: equal baselines give equal bytes."""
    head = [
        "# Accepted measurements. Written by `gate baseline accept`; read the epochs' comments.",
        f"schema = {SCHEMA}",
        f"profile = {toml.string(baseline.profile)}",
        f"host_class = {toml.string(baseline.host_class)}",
        f"harness = {toml.string(baseline.harness)}",
        f"profile_digest = {toml.string(baseline.profile_digest)}",
    ]
    reasons = {session.id: session.reason for session in baseline.sessions}
    series = sorted(baseline.series, key=lambda s: (s.benchmark, s.metric))
    blocks = [line for one in series for line in _series_lines(one, reasons)]
    sessions = sorted(baseline.sessions, key=lambda session: session.id)
    facts = [line for session in sessions for line in _session_lines(session)]
    return "\n".join([*head, *blocks, *facts, ""])


def _session_lines(session: AcceptedSession) -> list[str]:
    return [
        "",
        f"[session.{toml.string(session.id)}]",
        f"reason = {toml.string(session.reason)}",
        f"by = {toml.string(session.by)}",
        f"accepted = {toml.string(session.accepted)}",
        f"started = {toml.string(session.started)}",
        f"commit = {toml.string(session.commit)}",
        f"subject = {toml.string(session.subject)}",
        f"boot = {toml.string(session.boot)}",
        f"fingerprint = {toml.string(session.fingerprint)}",
        f"digest = {toml.string(session.profile_digest)}",
        f"tools = {toml.inline(session.tools)}",
        f"epoch_facts = {toml.inline(session.epoch_facts)}",
    ]


def _series_lines(series: BaselineSeries, reasons: dict[str, str]) -> list[str]:
    lines = [
        "",
        f"[series.{toml.string(series.benchmark)}.{toml.string(series.metric)}]",
        f"unit = {toml.string(series.unit)}",
        f"better = {toml.string(series.better.value)}",
        "sessions = [",
    ]
    before: BaselinePoint | None = None
    for point in series.points:
        if before is None or before.epoch != point.epoch:
            lines.append(f"  # {_epoch_comment(series, before, point, reasons)}")
        values = toml.array(map(toml.number, point.values))
        lines.append(
            f"  {{ session = {toml.string(point.session)}, epoch = {point.epoch}, "
            f"median = {toml.number(median(point.values))}, values = {values} }},"
        )
        before = point
    return [*lines, "]"]


def _epoch_comment(
    series: BaselineSeries,
    before: BaselinePoint | None,
    point: BaselinePoint,
    reasons: dict[str, str],
) -> str:
    """What a reviewer reads in the diff: from, to, how much, why. One line, no control codes."""
    now = median(point.values)
    level = show(now, series.unit)
    if before is not None:
        was = median(before.values)
        moved = now / was - 1 if was else None
        level = f"{show_pair(was, now, series.unit)} ({percent(moved)})"
    text = f"epoch {point.epoch}: {level}, because: {reasons.get(point.session, '')}"
    return "".join(c if c.isprintable() else " " for c in text)
