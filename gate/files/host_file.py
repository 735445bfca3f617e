"""`baselines/<host-class>/host.toml`: read strictly, written whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.files import checked, disk, lines
from gate.files.host_form import adapter
from gate.files.host_text import host_text
from gate.model import KnownHost, Limits
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.files.host_form import LimitsForm

HOST_FILE = "host.toml"
_LARGEST_SHARE = 10.0
"""Ten trials set aside for each one planned, and a share above one, are slips of the pen."""


def read_known_host(directory: Path, host_class: str) -> KnownHost | None:
    """What a class must be; None where it was never enrolled.

    Raises:
        InputError: the file is malformed, or of another class.
    """
    path = directory / host_class / HOST_FILE
    if disk.is_absent(path):
        return None
    known = read_host_file(path)
    if known.host_class != host_class:
        raise InputError(
            "G206", f"host_class is {known.host_class!r}, not {host_class!r}.", place=str(path)
        )
    return known


def read_host_file(path: Path) -> KnownHost:
    """A host file, wherever it stands.

    Raises:
        InputError: malformed or of another schema, with file and line.
    """
    text = disk.read_text(path, "profile")
    data = checked.parse_toml(text, str(path))
    checked.check_schema(data, text=text, place=str(path), kind="toml")
    form = checked.validate(adapter(), data, text=text, place=str(path), kind="toml", schema="host")
    return KnownHost(
        host_class=form.host_class,
        stable=dict(form.stable),
        epoch=dict(form.epoch),
        policy=form.policy.epoch,
        tune=tuple(form.tune),
        measured_cpus=form.measured_cpus,
        limits=_limits(form.limits, text, path),
        path=str(path),
    )


def write_known_host(directory: Path, known: KnownHost) -> Path:
    """Write a class's host file; returns its path.

    Raises:
        InputError: it cannot be written; what was there is unchanged.
    """
    path = directory / known.host_class / HOST_FILE
    disk.write_text(path, host_text(known))
    return path


def _limits(form: LimitsForm, text: str, path: Path) -> Limits:
    usual = Limits()

    def parsed(name: str, parse: Callable[[str], float], most: float) -> float:
        given: str | None = getattr(form, name)
        if given is None:
            return float(getattr(usual, name))
        try:
            value = parse(given)
        except ValueError as error:
            raise _wrong(name, str(error), text, path) from error
        if value > most:
            raise _wrong(name, f"{given[:40]!r} is too much", text, path)
        return value

    return Limits(
        steal=parsed("steal", parse_percent, 1.0),
        foreign_cpu=usual.foreign_cpu if form.foreign_cpu is None else form.foreign_cpu,
        foreign_io=parsed("foreign_io", lambda one: parse_quantity(one, "B/s"), 1e15),
        memory_pressure=parsed("memory_pressure", parse_percent, 1.0),
        set_aside=parsed("set_aside", parse_percent, _LARGEST_SHARE),
    )


def _wrong(name: str, what: str, text: str, path: Path) -> InputError:
    line = lines.toml_line(text, ("limits", name))
    cure = "`gate schema host` prints the format."
    return InputError("G206", f"limits.{name}: {what}.", cure=cure, place=f"{path}:{line}")
