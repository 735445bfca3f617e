"""`baselines/<host-class>/host.toml`: what a machine of a class must be, and how it measures.

Read strictly, and written whole as canonical text for its reviewer: every fact with why it matters.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from gate.errors import InputError
from gate.formats import disk, toml
from gate.formats.document import Document, Form, read_toml
from gate.model import SCHEMA, EpochPolicy, KnownHost, Limits
from gate.model.disturbance import TUNABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

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


class PolicyForm(Form):
    """`[policy]`: what happens when the machine changed."""

    epoch: EpochPolicy = EpochPolicy.REFUSE
    """When an epoch fact moved: "refuse" judges nothing, "new-baseline" calls it all new."""


class LimitsForm(Form):
    """`[limits]`: how much of each disturbance a trial tolerates before it is set aside."""

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


class HostForm(Form, title="driftgate host"):
    """A driftgate host class: the facts that must agree, and how its machines are measured on."""

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


_LIMITS = {
    "steal": ("%", 1.0),
    "foreign_cpu": ("", _MOST_CPUS),
    "foreign_io": ("B/s", 1e15),
    "memory_pressure": ("%", 1.0),
    "set_aside": ("%", 10.0),
}
"""How each is written, and what is a slip of the pen beyond: ten set aside for one planned, say."""


@cache
def facts_of(tier: str) -> dict[str, str]:
    """Every fact of a tier, `stable` or `epoch`: what it is and why it matters, in a few words."""
    path = Path(__file__).with_name("facts.toml")
    found: dict[str, str] = toml.parse_toml(path.read_text("utf-8"), str(path))[tier]
    return found


def about(key: str) -> str:
    """What a fact is and why it matters."""
    known = facts_of("stable") | facts_of("epoch")
    return known.get(key, "a fact that this version of the gate does not read")


def host_text(known: KnownHost) -> str:
    """The canonical text: equal host files give equal bytes."""
    template = Template(Path(__file__).with_name("host_template.txt").read_text(encoding="utf-8"))
    text = template.substitute(
        schema=SCHEMA,
        host_class=toml.value(known.host_class),
        tunable="\n".join(f"#   {name:<15} {what}" for name, what in TUNABLE.items()),
        tune=toml.value(known.tune),
        measured_cpus=toml.value(known.measured_cpus),
        policy=toml.value(known.policy),
        stable=_facts(known.stable),
        epoch=_facts(known.epoch),
        **{name: _limit_text(known.limits, name) for name in _LIMITS},
    )
    return text.removesuffix("\n")


def _facts(facts: Mapping[str, str]) -> str:
    return "".join(
        f"# {about(key)}\n{toml.key(key)} = {toml.value(facts[key])}\n" for key in sorted(facts)
    )


def _limit_text(limits: Limits, name: str) -> str:
    value, (unit, _) = getattr(limits, name), _LIMITS[name]
    if unit == "%":
        written: str | float = f"{value * 100:.10g}%"
    else:
        written = _rate(value) if unit else float(value)
    mark = "# " if value == getattr(Limits(), name) else ""
    return f"{mark}{name} = {toml.value(written)}"


def _rate(per_second: float) -> str:
    """Bytes per second in the largest unit that they fill, and that reads back as the same."""
    for factor, unit in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        digits = f"{per_second / factor:.10g}"
        if per_second >= factor and float(digits) * factor == per_second:
            return f"{digits} {unit}"
    return f"{per_second:.17g} B/s"


HOST_FILE = "host.toml"


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
    cure = "`gate schema host` prints the format."
    found: dict[str, float] = {}
    for name, (unit, most) in _LIMITS.items():
        given, at = getattr(form, name), ("limits", name)
        if given is None:
            continue
        if unit == "%":
            found[name] = document.percent(given, *at, cure=cure)
        else:
            found[name] = document.quantity(given, unit, *at, cure=cure) if unit else given
        if found[name] > most:
            raise document.refused(f"{str(given)[:40]!r} is too much", *at, cure=cure)
    return Limits(**found)
