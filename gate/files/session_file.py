"""`session.json`: crosses a trust boundary, so it is read as if it were hostile."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from gate.files import checked, disk
from gate.files.consistency import session_complaints
from gate.model import Session

if TYPE_CHECKING:
    from pathlib import Path


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
