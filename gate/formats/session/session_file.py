"""`session.json`: crosses a trust boundary, so it is read as if it were hostile.

The handover: all sessions of one check in one file, read as if it were hostile.

It is what crosses from the machine that measures to the job that judges. One line holds one
session, so that an error can name the line.

`report.json`: read back for rendering.

What is kept of extra runs: their counts as JSON, their stacks in the folded format.

Folded stacks are a line each, frames joined by semicolons and then the number of samples, as
every tool that draws flame graphs reads them.
"""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from gate.formats import checked, disk
from gate.formats.session.consistency import (
    handover_complaints,
    report_complaints,
    session_complaints,
)
from gate.model import SCHEMA, Handover, Report, Session

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.model import Side
    from gate.model.extra_runs import ExtraRuns, Folded


@cache
def adapter() -> TypeAdapter[Session]:
    """Validator of sessions, built once."""
    return TypeAdapter(Session)


def read_session(path: Path) -> Session:
    """Read one session.

    Raises:
        InputError: it cannot be read, or is no session of this schema number.
    """
    text = disk.read_text(path, "session")
    data = checked.parse_json(text, str(path))
    checked.check_schema(data, text=text, place=str(path), kind="json")
    return session_in(data, text=text, place=str(path))


def session_in(data: Any, *, text: str, place: str) -> Session:
    """The session that parsed data hold; `text` is what they were parsed from.

    Raises:
        InputError: G206, it is none, or it contradicts itself.
    """
    session = checked.validate(adapter(), data, text=text, place=place, kind="json")
    checked.refuse_any(session_complaints(session), text=text, place=place)
    return session


def session_text(session: Session) -> str:
    """The session as JSON text."""
    return as_json(session)


def as_json(value: Any) -> str:
    """A frozen value as indented JSON; a non-finite number is a mistake of ours and raises."""
    plain = dataclasses.asdict(value)
    return json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_session(path: Path, session: Session) -> None:
    """Write a session whole.

    Raises:
        InputError: the file cannot be written.
    """
    disk.write_text(path, session_text(session))


_OWN = frozenset(field.name for field in dataclasses.fields(Handover))


@cache
def handover_adapter() -> TypeAdapter[Handover]:
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
        session = session_in(data, text=text, place=place)
        return Handover(schema=SCHEMA, version="", sessions=(session,))
    handover = checked.validate(
        handover_adapter(), data, text=text, place=place, kind="json", schema="handover"
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


@cache
def report_adapter() -> TypeAdapter[Report]:
    """Validator of reports, built once."""
    return TypeAdapter(Report)


def read_report(path: Path) -> Report:
    """Read one report.

    Raises:
        InputError: it cannot be read, or is no report of this schema number.
    """
    text = disk.read_text(path, "session")
    data = checked.parse_json(text, str(path))
    checked.check_schema(data, text=text, place=str(path), kind="json")
    report = checked.validate(report_adapter(), data, text=text, place=str(path), kind="json")
    checked.refuse_any(report_complaints(report), text=text, place=str(path))
    return report


def write_extra_runs(place: Path, runs: ExtraRuns, folded: Mapping[Side, Folded]) -> Path:
    """Write the next `PROFILE-N.json` of a directory, and the stacks of both sides beside it.

    Raises:
        InputError: it cannot be written.
    """
    number = 1
    while (path := place / f"{runs.profile}-{number}.json").exists():
        number += 1
    disk.write_text(path, as_json(runs))
    for side, one in folded.items():
        disk.write_text(path.with_suffix(f".{side.value}.folded"), folded_text(one))
    return path


def folded_text(folded: Folded) -> str:
    """The stacks, those of most samples first."""
    ranked = sorted(folded.stacks.items(), key=lambda one: (-one[1], one[0]))
    return "".join(f"{stack} {count}\n" for stack, count in ranked)
