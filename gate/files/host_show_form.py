"""The form of `gate host show --json`: a machine's facts in tiers, and the record of the gate."""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from gate.model import Calibration

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
def adapter() -> TypeAdapter[HostShowForm]:
    """Validator of what is shown, built once."""
    return TypeAdapter(HostShowForm)
