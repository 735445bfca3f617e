"""`baselines/<host-class>/host.toml`: what a machine of a class must be, and how it measures.

Read strictly, and written whole as canonical text for its reviewer: every fact with why it matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from gate.errors import InputError
from gate.formats import disk, toml
from gate.formats.document import Document, read_toml
from gate.model import SCHEMA, EpochPolicy, KnownHost, Limits
from gate.model.disturbance import TUNABLE
from gate.model.host import about
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


_FORM = ConfigDict(extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)
_MOST_CPUS = 1 << 16
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def _tunable(name: str) -> str:
    if name not in TUNABLE:
        message = f"there are {', '.join(TUNABLE)}"
        raise ValueError(message)
    return name


def _once(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        message = "a name stands there twice"
        raise ValueError(message)
    return names


def _cpus(text: str) -> str:
    """Ascending numbers and ranges without a gap in sense: `1-3,5`."""
    last = -1
    for part in text.split(",") if text else []:
        match = _RANGE.fullmatch(part)
        first, end = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if not last < first <= end < _MOST_CPUS:
            message = 'write ascending numbers and ranges, as in "1-3,5"'
            raise ValueError(message)
        last = end
    return text


Tunable = Annotated[str, AfterValidator(_tunable), Field(json_schema_extra={"enum": list(TUNABLE)})]


class PolicyForm(BaseModel):
    """`[policy]`: what happens when the machine changed."""

    model_config = _FORM
    epoch: EpochPolicy = EpochPolicy.REFUSE
    """When an epoch fact moved: "refuse" judges nothing, "new-baseline" calls it all new."""


class LimitsForm(BaseModel):
    """`[limits]`: how much of each disturbance a trial tolerates before it is set aside."""

    model_config = _FORM
    steal: str | None = None
    """Share of the processors' time that the hypervisor took: "5%"."""
    foreign_cpu: float | None = Field(default=None, ge=0, le=_MOST_CPUS)
    """Processors that others used, on average over the trial: 0.25."""
    foreign_io: str | None = None
    """What others read and wrote: "8 MB/s"."""
    memory_pressure: str | None = None
    """Share of the time in which some task waited for memory: "5%"."""
    set_aside: str | None = None
    """Trials set aside per trial planned, above which a session is not judged: "50%".

    Three may always be, unless it is "0%".
    """


class HostForm(BaseModel):
    """A driftgate host class: the facts that must agree, and how its machines are measured on."""

    model_config = ConfigDict(
        extra="forbid", allow_inf_nan=False, title="driftgate host", use_attribute_docstrings=True
    )
    schema_number: int = Field(alias="schema")
    """Number of the file format."""
    host_class: str
    """Name of the class; that of the directory."""
    tune: Annotated[list[Tunable], AfterValidator(_once)] = []
    """Settings that are tuned around every check, and put back."""
    measured_cpus: Annotated[str, AfterValidator(_cpus)] = ""
    """Processors that measure, as "1-3,5"; empty for the gate's own choice."""
    policy: PolicyForm = PolicyForm()
    limits: LimitsForm = LimitsForm()
    stable: dict[str, str]
    """A machine that differs in one of these is another machine."""
    epoch: dict[str, str] = {}
    """As they were when the class was enrolled; every accepted session has its own."""


_POLICIES = {
    EpochPolicy.REFUSE: "nothing is judged until a session of the machine as it is now is accepted",
    EpochPolicy.NEW_BASELINE: "every benchmark counts as new; closed as well, unless --allow new",
}


def host_text(known: KnownHost) -> str:
    """The canonical text: equal host files give equal bytes."""
    names = toml.array(map(toml.string, known.tune))
    lines = [
        "# What a machine of this class must be, and how it is measured on. Written by",
        "# `gate host enroll`; `gate host diff` compares a machine with it.",
        f"schema = {SCHEMA}",
        f"host_class = {toml.string(known.host_class)}",
        "",
        "# Settings that are tuned around every check and put back after it:",
        *(f"#   {name:<15} {what}" for name, what in TUNABLE.items()),
        f"tune = {names}",
        "",
        '# The processors that measure, as "1-3,5"; empty for the gate\'s own choice.',
        f"measured_cpus = {toml.string(known.measured_cpus)}",
        "",
        "[policy]",
        "# What a check does when an epoch fact is not that of the newest accepted session:",
        *(f"#   {policy.value:<15} {what}" for policy, what in _POLICIES.items()),
        f"epoch = {toml.string(known.policy.value)}",
        "",
        "[limits]",
        "# How much of each a trial tolerates before it is set aside; defaults are commented out.",
        *_limits_text(known.limits),
        "",
        "# Stable facts: a machine that differs in one of them is another machine, and a check on",
        "# it is refused. Two machines that differ only in what is unknown count as the same.",
        "[stable]",
        *_facts(known.stable),
        "",
        "# Epoch facts as they were when this file was written, to be read. Every accepted session",
        "# has its own; a check compares with the newest of them, as the policy above says.",
        "[epoch]",
        *_facts(known.epoch),
        "",
    ]
    return "\n".join(lines)


def _facts(facts: Mapping[str, str]) -> Iterator[str]:
    for key in sorted(facts):
        yield f"# {about(key)}"
        yield f"{toml.key(key)} = {toml.string(facts[key])}"


def _limits_text(limits: Limits) -> Iterator[str]:
    usual = Limits()
    for name, (write, what) in _LIMITS.items():
        value = getattr(limits, name)
        mark = "# " if value == getattr(usual, name) else ""
        yield f"# {what}"
        yield f"{mark}{name} = {write(value)}"


def _percent(ratio: float) -> str:
    return toml.string(f"{ratio * 100:.10g}%")


def _rate(per_second: float) -> str:
    """Bytes per second in the largest unit that they fill, and that reads back as the same."""
    for factor, unit in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        digits = f"{per_second / factor:.10g}"
        if per_second >= factor and float(digits) * factor == per_second:
            return toml.string(f"{digits} {unit}")
    return toml.string(f"{per_second:.17g} B/s")


_LIMITS: dict[str, tuple[Callable[[float], str], str]] = {
    "steal": (_percent, "processor time that the hypervisor took from this machine"),
    "foreign_cpu": (toml.number, "processors that processes outside the trial used, on average"),
    "foreign_io": (_rate, "what processes outside the trial read and wrote"),
    "memory_pressure": (_percent, "time in which some task waited for memory"),
    "set_aside": (
        _percent,
        "trials set aside per trial planned (three at least, none at 0%); else nothing is judged",
    ),
}


HOST_FILE = "host.toml"
_LARGEST_SHARE = 10.0
"""Ten trials set aside for each one planned, and a share above one, are slips of the pen."""


def read_known_host(directory: Path, host_class: str) -> KnownHost | None:
    """What a class must be; None where it was never enrolled."""
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
    """A host file, wherever it stands."""
    document = read_toml(path, "profile", "host")
    document.check_schema()
    form = document.validate(HostForm)
    return KnownHost(
        host_class=form.host_class,
        stable=dict(form.stable),
        epoch=dict(form.epoch),
        policy=form.policy.epoch,
        tune=tuple(form.tune),
        measured_cpus=form.measured_cpus,
        limits=_limits(form.limits, document),
        path=str(path),
    )


def write_known_host(directory: Path, known: KnownHost) -> Path:
    """Write a class's host file; returns its path."""
    path = directory / known.host_class / HOST_FILE
    disk.write_text(path, host_text(known))
    return path


def _limits(form: LimitsForm, document: Document) -> Limits:
    usual = Limits()

    def parsed(name: str, parse: Callable[[str], float], most: float) -> float:
        given: str | None = getattr(form, name)
        if given is None:
            return float(getattr(usual, name))
        try:
            value = parse(given)
        except ValueError as error:
            raise _wrong(name, str(error), document) from error
        if value > most:
            raise _wrong(name, f"{given[:40]!r} is too much", document)
        return value

    return Limits(
        steal=parsed("steal", parse_percent, 1.0),
        foreign_cpu=usual.foreign_cpu if form.foreign_cpu is None else form.foreign_cpu,
        foreign_io=parsed("foreign_io", lambda one: parse_quantity(one, "B/s"), 1e15),
        memory_pressure=parsed("memory_pressure", parse_percent, 1.0),
        set_aside=parsed("set_aside", parse_percent, _LARGEST_SHARE),
    )


def _wrong(name: str, what: str, document: Document) -> InputError:
    cure = "`gate schema host` prints the format."
    return document.wrong(f"limits.{name}: {what}.", "limits", name, cure=cure)
