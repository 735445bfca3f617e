"""`baselines/<host-class>/<profile>.toml`: read with distrust, written whole.

Beside it `kernel-<digest>.config` keeps how the kernels of accepted sessions were built. It is read
to show what differs and decides nothing, so one that is gone or spoilt is simply not kept any more.
"""

from __future__ import annotations

import math
import re
from statistics import median
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats import disk, names
from gate.formats.baseline.baseline_text import BaselineForm, baseline_text
from gate.formats.document import read_toml
from gate.formats.host.host_file import HOST_FILE, read_known_host, write_known_host
from gate.model import AcceptedSession, Baseline, BaselinePoint, BaselineSeries, KnownHost
from gate.model.kernel_config import config_digest, config_text, options_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.formats.baseline.baseline_text import PointForm, SeriesForm, SessionForm

WAIVER_FILE = "waivers.toml"
_CONFIG_NAME = re.compile(r"kernel-([0-9a-f]{16})\.config")


def read_baselines(directory: Path) -> tuple[Baseline, ...]:
    """Every baseline under a directory, sorted by host class and profile.

    A directory that does not exist holds none; one that cannot be read is an error.
    """
    if disk.is_absent(directory):
        return ()
    if not directory.is_dir():
        raise InputError(
            "G201", "is not a directory.", cure="Check --baseline.", place=str(directory)
        )
    try:
        classes = sorted(entry for entry in directory.iterdir() if entry.is_dir())
    except OSError as error:
        raise _not_listed(directory, error) from error
    return tuple(baseline for entry in classes for baseline in read_class(entry))


def read_class(directory: Path) -> tuple[Baseline, ...]:
    """Every baseline of one host class, sorted by profile."""
    try:
        files = sorted(directory.glob("*.toml"))
    except OSError as error:
        raise _not_listed(directory, error) from error
    return tuple(read_baseline(path) for path in files if path.stem not in names.RESERVED)


def _not_listed(directory: Path, error: OSError) -> InputError:
    return InputError("G201", f"cannot be listed: {error.strerror}.", place=str(directory))


def read_baseline(path: Path) -> Baseline:
    """Read one baseline with the host facts beside it."""
    document = read_toml(path, "baseline")
    document.check_schema()
    form = document.validate(BaselineForm)
    _check_place(path, form)
    known = _host_of(path, form.host_class)
    every = [_session(name, one) for name, one in form.session.items()]
    sessions = tuple(sorted(every, key=lambda s: (s.started, s.id)))
    newest = sessions[-1].kernel_config if sessions else ""
    config = read_kernel_config(path.parent, newest)
    return Baseline(
        profile=form.profile,
        profile_digest=form.profile_digest,
        harness=form.harness,
        host_class=form.host_class,
        stable=known.stable,
        policy=known.policy,
        set_aside=known.limits.set_aside,
        sessions=sessions,
        series=tuple(
            _series(path, benchmark, metric, one, form)
            for benchmark, metrics in form.series.items()
            for metric, one in metrics.items()
        ),
        kernel_configs={newest: config} if config else {},
        path=str(path),
    )


def _check_place(path: Path, form: BaselineForm) -> None:
    for what, said, place in (
        ("profile", form.profile, path.stem),
        ("host_class", form.host_class, path.parent.name),
    ):
        if said != place:
            message = f"{what} is {said!r}, but the file stands where {place!r} belongs."
            cure = "Move the file back, or accept a baseline anew."
            raise InputError("G206", message, cure=cure, place=str(path))


def _host_of(path: Path, host_class: str) -> KnownHost:
    known = read_known_host(path.parent.parent, host_class)
    if known is None:
        message = "there is no such file, so nobody knows what a machine of the class must be."
        cure = "Restore it from the history, or enroll the class again: `gate host enroll`."
        raise InputError("G201", message, cure=cure, place=str(path.with_name(HOST_FILE)))
    return known


def _session(name: str, form: SessionForm) -> AcceptedSession:
    return AcceptedSession(
        id=name,
        profile_digest=form.digest,
        controls={name: tuple(runs) for name, runs in form.controls.items()},
        **form.model_dump(exclude={"digest", "controls"}),
    )


def _series(
    path: Path, benchmark: str, metric: str, form: SeriesForm, whole: BaselineForm
) -> BaselineSeries:
    seen: set[str] = set()
    for point in form.sessions:
        wrong = _wrong_point(point, whole, seen)
        if wrong:
            message = f"{benchmark} {metric}: session {point.session!r} {wrong}."
            cure = "Do not edit baselines by hand: restore it, or accept anew."
            raise InputError("G206", message, cure=cure, place=str(path))
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


def write_baseline(directory: Path, baseline: Baseline) -> Path:
    """Write a baseline and what stands beside it; returns its path.

    Beside it stand the host's facts, where it is the first of its class, and the configurations of
    the kernels that its sessions name, as far as they are known and not there yet.
    """
    place = directory / baseline.host_class
    if disk.is_absent(place / HOST_FILE):
        write_known_host(directory, _known_host(baseline))
    for digest in sorted({one.kernel_config for one in baseline.sessions}):
        if digest in baseline.kernel_configs:
            write_kernel_config(place, baseline.kernel_configs[digest])
    path = place / f"{baseline.profile}.toml"
    disk.write_text(path, baseline_text(baseline))
    return path


def forget_unnamed_configs(directory: Path, host_class: str) -> tuple[Path, ...]:
    """Remove the configurations that no accepted session of a class names; returns their paths."""
    folder = directory / host_class
    named = {one.kernel_config for known in read_class(folder) for one in known.sessions}
    gone = tuple(
        path
        for path in sorted(folder.glob("kernel-*.config"))
        if (match := _CONFIG_NAME.fullmatch(path.name)) and match[1] not in named
    )
    for path in gone:
        disk.remove(path)
    return gone


def _known_host(baseline: Baseline) -> KnownHost:
    """The host file of a class that nobody enrolled: its facts from what was accepted first."""
    return KnownHost(
        host_class=baseline.host_class,
        stable=baseline.stable,
        epoch=baseline.sessions[-1].epoch_facts if baseline.sessions else {},
        policy=baseline.policy,
    )


def is_config_name(name: str) -> bool:
    """Whether a file beside baselines is called as a kernel's configuration is."""
    return _CONFIG_NAME.fullmatch(name) is not None


def config_name(digest: str) -> str:
    """How the file of a configuration is called."""
    return f"kernel-{digest}.config"


def read_kernel_config(folder: Path, digest: str) -> dict[str, str] | None:
    """The options of a configuration; None where its text is not there as it was accepted."""
    name = config_name(digest)
    if not is_config_name(name):
        return None
    try:
        text = disk.read_text(folder / name, "kernel config")
    except InputError:
        return None
    found = options_in(text.splitlines())
    return found if config_digest(found) == digest else None


def write_kernel_config(folder: Path, config: Mapping[str, str]) -> None:
    """Write a configuration that is not there yet, or not as it should be.

    One too large to be read again is not kept.
    """
    digest, text = config_digest(config), config_text(config)
    fits = len(text.encode()) <= disk.CAP_BYTES["kernel config"]
    if fits and read_kernel_config(folder, digest) is None:
        disk.write_text(folder / config_name(digest), text)
