"""The published JSON Schemas, generated from the forms that read the files."""

from __future__ import annotations

import json

from pydantic import Field

from gate.formats.baseline.baseline_text import BaselineForm
from gate.formats.baseline.calibration_file import CalibrationForm
from gate.formats.baseline.waiver_file import WaiversForm
from gate.formats.document import Form, adapter_of
from gate.formats.host.devices_file import DevicesForm
from gate.formats.host.host_file import HostForm
from gate.formats.profile.profile_form import ProfileForm
from gate.formats.published.summary_form import SummaryForm
from gate.model import Calibration, Handover, Report, Session


class HostShowForm(Form, title="driftgate host show"):
    """What `gate host show --json` prints. Values are text; `unknown` where nothing is known."""

    schema_number: int = Field(alias="schema")
    """Number of the format."""
    host_class: str
    """Name of the machine's hardware kind: given, or made from the stable facts."""
    fingerprint: str
    """Hash of the stable facts."""
    stable: dict[str, str]
    """A baseline of a machine that differs in one of these is refused."""
    epoch: dict[str, str]
    """A change in one of these is shown, and opens a new epoch or is refused."""
    live: dict[str, str]
    """Of the moment: recorded, never compared."""
    calibration: Calibration | None
    """How often the gate was right on this host class; null where it was never calibrated."""


_FORMS: dict[str, type] = {
    "baseline": BaselineForm,
    "calibration": CalibrationForm,
    "devices": DevicesForm,
    "handover": Handover,
    "host": HostForm,
    "host-show": HostShowForm,
    "profile": ProfileForm,
    "report": Report,
    "session": Session,
    "summary": SummaryForm,
    "waivers": WaiversForm,
}
KINDS = tuple(_FORMS)


def schema_text(kind: str) -> str:
    """The JSON Schema of one file kind, as text."""
    form = adapter_of(_FORMS[kind])
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | form.json_schema()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
