"""`baselines/<host-class>/<profile>.toml`: read with distrust, written whole."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.files import checked, disk, names
from gate.files.baseline_form import adapter, host_adapter
from gate.files.baseline_text import baseline_text, host_text
from gate.model import (
    AcceptedSession,
    Baseline,
    BaselinePoint,
    BaselineSeries,
)

if TYPE_CHECKING:
    from pathlib import Path

    from gate.files.baseline_form import BaselineForm, PointForm, SeriesForm, SessionForm

HOST_FILE = "host.toml"
WAIVER_FILE = "waivers.toml"


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
    return tuple(read_baseline(path) for path in files if path.stem not in names.RESERVED)


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
        made=form.made,
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
