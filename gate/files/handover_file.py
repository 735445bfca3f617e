"""The handover: all sessions of one check in one file, read as if it were hostile.

It is what crosses from the machine that measures to the job that judges. One line holds one
session, so that an error can name the line.
"""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from gate.files import checked, disk, session_file
from gate.files.consistency import handover_complaints
from gate.model import SCHEMA, Handover

if TYPE_CHECKING:
    from pathlib import Path

_OWN = frozenset(field.name for field in dataclasses.fields(Handover))


@cache
def adapter() -> TypeAdapter[Handover]:
    """Validator of handovers, built once."""
    return TypeAdapter(Handover)


def read_handover(path: Path) -> Handover:
    """Read a handover; a file that holds one single session is part 1 of 1.

    Raises:
        InputError: it cannot be read, is larger than 64 MiB, or is neither of the two.
    """
    text = disk.read_text(path, "handover")
    place = str(path)
    data = checked.parse_json(text, place)
    checked.check_schema(data, text=text, place=place, kind="json")
    if "sessions" not in data and data.keys() - _OWN:
        session = session_file.session_in(data, text=text, place=place)
        return Handover(schema=SCHEMA, version="", sessions=(session,))
    handover = checked.validate(
        adapter(), data, text=text, place=place, kind="json", schema="handover"
    )
    checked.refuse_any(handover_complaints(handover), text=text, place=place)
    return handover


def handover_text(handover: Handover) -> str:
    """The handover as JSON text, a line for each session.

    Raises:
        ValueError: a number is not finite; no measurement of ours is.
    """
    data = dataclasses.asdict(handover)
    sessions = data.pop("sessions")
    if not handover.why:
        del data["why"]
    head = "".join(f'"{key}": {_compact(value)},\n' for key, value in data.items())
    rows = ",\n".join(map(_compact, sessions))
    return f'{{{head}"sessions": [\n{rows}\n]}}\n'


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_handover(path: Path, handover: Handover) -> None:
    """Write a handover whole.

    Raises:
        InputError: the file cannot be written.
    """
    disk.write_text(path, handover_text(handover))
