"""The published JSON Schemas, generated from the forms that read the files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gate.files import (
    baseline_form,
    calibration_form,
    devices_file,
    handover_file,
    host_form,
    host_show_form,
    profile_form,
    report_file,
    session_file,
    summary_form,
    waiver_file,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_ADAPTERS: dict[str, Any] = {
    "baseline": baseline_form.adapter,
    "calibration": calibration_form.adapter,
    "devices": devices_file.adapter,
    "handover": handover_file.adapter,
    "host": host_form.adapter,
    "host-show": host_show_form.adapter,
    "profile": profile_form.adapter,
    "report": report_file.adapter,
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
