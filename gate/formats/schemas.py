"""The published JSON Schemas, generated from the forms that read the files."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from gate.formats.baseline import baseline_text, calibration_file, waiver_file
from gate.formats.host import devices_file, host_file
from gate.formats.profile import profile_form
from gate.formats.published import summary_form
from gate.formats.session import session_file
from gate.model import Calibration


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
    calibration: Calibration | None
    """How often the gate was right on this host class; null where it was never calibrated."""


@cache
def show_adapter() -> TypeAdapter[HostShowForm]:
    """Validator of what is shown, built once."""
    return TypeAdapter(HostShowForm)


_ADAPTERS: dict[str, Any] = {
    "baseline": baseline_text.adapter,
    "calibration": calibration_file.adapter,
    "devices": devices_file.adapter,
    "handover": session_file.handover_adapter,
    "host": host_file.adapter,
    "host-show": show_adapter,
    "profile": profile_form.adapter,
    "report": session_file.report_adapter,
    "session": session_file.adapter,
    "summary": summary_form.adapter,
    "waivers": waiver_file.adapter,
}
KINDS = tuple(_ADAPTERS)


def schema_text(kind: str) -> str:
    """The JSON Schema of one file kind, as text."""
    adapter: TypeAdapter[Any] = _ADAPTERS[kind]()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | adapter.json_schema()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
