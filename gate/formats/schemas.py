"""The published JSON Schemas, generated from the forms that read the files.

What a field means is the text below it in the code. It is looked up here alone: a command that
reads files would spend a sixth of its time on finding texts that it never shows.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

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
from gate.model.bounds import Strict

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    form = _FORMS[kind]
    schema = adapter_of(form).json_schema()
    known = {one.__name__: one for one in chain(_below(Form), _below(Strict))}
    _describe(schema, form)
    for name, part in schema.get("$defs", {}).items():
        if name in known:
            _describe(part, known[name])
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(head | schema, indent=2, ensure_ascii=False) + "\n"


def _below(base: type) -> Iterator[type]:
    below: list[type] = type.__subclasses__(base)
    for one in below:
        yield one
        yield from _below(one)


def _describe(schema: dict[str, Any], form: type) -> None:
    """Add to the properties of a schema what the class says of its fields."""
    aliases = {name: field.alias for name, field in getattr(form, "model_fields", {}).items()}
    for one in reversed(form.__mro__):
        for name, text in _texts(one).items() if one.__module__.startswith("gate.") else ():
            key = aliases.get(name) or name
            if key in schema.get("properties", {}):
                described = {**schema["properties"][key], "description": text}
                schema["properties"][key] = dict(sorted(described.items()))


def _texts(form: type) -> dict[str, str]:
    """The text below each annotated field of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(form))).body[0]
    found = {}
    for field, after in pairwise(body.body if isinstance(body, ast.ClassDef) else ()):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                value=ast.Constant(value=str(text))
            ):
                found[name] = inspect.cleandoc(text)
    return found
