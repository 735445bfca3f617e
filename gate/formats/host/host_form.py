"""The form of `host.toml`: what a machine of a class must be, and how it is measured on.

The form of `gate host show --json`: a machine's facts in tiers, and the record of the gate.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from gate.model import Calibration, EpochPolicy
from gate.model.readiness import TUNABLE

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
    """`[limits]`: how much of each disturbance a trial bears before it is set aside."""

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


@cache
def adapter() -> TypeAdapter[HostForm]:
    """Validator of host files, built once."""
    return TypeAdapter(HostForm)


_Record = Calibration | None


class HostShowForm(BaseModel):
    """What `gate host show --json` prints. Values are text; `unknown` where nothing is told."""

    model_config = ConfigDict(
        extra="forbid",
        allow_inf_nan=False,
        title="driftgate host show",
        use_attribute_docstrings=True,
    )
    schema_number: int = Field(alias="schema")
    """Number of the format."""
    host_class: str
    """Name of the machine's hardware kind: given, or made from the stable facts."""
    fingerprint: str
    """Hash of the stable facts."""
    stable: dict[str, str]
    """A baseline of a machine that differs in one of these is refused."""
    epoch: dict[str, str]
    """A change in one of these is told, and opens a new epoch or is refused."""
    live: dict[str, str]
    """Of the moment: recorded, never compared."""
    calibration: _Record
    """How often the gate was right on this host class; null where it was never calibrated."""


@cache
def show_adapter() -> TypeAdapter[HostShowForm]:
    """Validator of what is shown, built once."""
    return TypeAdapter(HostShowForm)
