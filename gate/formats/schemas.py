"""The published JSON Schemas, generated from the forms that read the files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gate.formats.baseline import baseline_text, calibration_file, waiver_file
from gate.formats.host import devices_file, host_form
from gate.formats.host import host_form as host_show_form
from gate.formats.profile import profile_form
from gate.formats.published import summary_form
from gate.formats.session import session_file
from gate.formats.session import session_file as handover_file
from gate.formats.session import session_file as report_file

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_ADAPTERS: dict[str, Any] = {
    "baseline": baseline_text.adapter,
    "calibration": calibration_file.adapter,
    "devices": devices_file.adapter,
    "handover": handover_file.handover_adapter,
    "host": host_form.adapter,
    "host-show": host_show_form.show_adapter,
    "profile": profile_form.adapter,
    "report": report_file.report_adapter,
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
