"""`session.json`, the handover and `report.json`, read as if they were hostile; and extra runs.

The handover holds all sessions of one check: it is what crosses from the machine that measures to
the job that judges. One line holds one session, so that an error can name the line.

Extra runs are kept as JSON and never read back, their stacks in the folded format: a line each,
frames joined by semicolons and then the number of samples, as tools that draw flame graphs read.

A guest is told what to measure by a pickle, as only the machine that booted the guest writes it
and only that guest reads it. What comes back is a session file.
"""

from __future__ import annotations

import dataclasses
import json
import pickle
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from gate.formats import disk
from gate.formats.document import Document, read_json
from gate.formats.session.consistency import handover_complaints, session_complaints
from gate.formats.session.report_consistency import report_complaints
from gate.model import SCHEMA, Handover, Report, Session, State

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.model import Changes, Profile, Side
    from gate.model.diagnosis import ExtraRuns, Folded


def read_session(path: Path) -> Session:
    """Read one session."""
    return session_in(read_json(path, "session"))


def session_in(document: Document) -> Session:
    """The session that parsed data hold."""
    session = document.validate(Session)
    document.refuse_any(session_complaints(session))
    return session


def as_json(value: Any, *, indent: int | None = 1) -> str:
    """A frozen value as JSON; a non-finite number is a mistake of ours and raises."""
    text = json.dumps(value, default=_fields, indent=indent, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def _fields(value: Any) -> dict[str, Any]:
    """What a frozen value holds, not copied."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def write_session(path: Path, session: Session) -> None:
    """Write a session whole.

    A partial one is written after every trial: as cheaply as it can be read again, and should the
    machine lose its power a moment later, what stood there before stands there again.
    """
    done = session.state is State.COMPLETE
    disk.write_text(path, as_json(session, indent=1 if done else None), lasting=done)


def fresh_path(directory: Path, profile: str) -> Path:
    """A file name that no session of the profile has: its name and a running number."""
    paths = (directory / f"{profile}-{number:03d}.json" for number in count(1))
    return next(path for path in paths if not path.exists())


_OWN = frozenset(field.name for field in dataclasses.fields(Handover))


def read_handover(path: Path) -> Handover:
    """Read a handover; a file that holds one single session is part 1 of 1."""
    document = read_json(path, "handover", "handover")
    if "sessions" not in document.data and document.data.keys() - _OWN:
        session = session_in(dataclasses.replace(document, schema=""))
        return Handover(schema=SCHEMA, version="", sessions=(session,))
    handover = document.validate(Handover)
    document.refuse_any(handover_complaints(handover))
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
    """Write a handover whole."""
    disk.write_text(path, handover_text(handover))


def read_report(path: Path) -> Report:
    """Read one report."""
    document = read_json(path, "session")
    report = document.validate(Report)
    document.refuse_any(report_complaints(report))
    return report


def write_extra_runs(place: Path, runs: ExtraRuns, folded: Mapping[Side, Folded]) -> Path:
    """Write the next `PROFILE-N.json` of a directory, and the stacks of both sides beside it."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestRequest:
    """One boot's trials of one benchmark."""

    profile: Profile
    """With the one benchmark, and nothing to activate any more."""
    side: Side
    trials: int
    directory: Path
    environment: dict[str, str]
    """Of the side."""
    tools: dict[str, str]
    changes: Changes | None
    """What differs between the sides, if the guest is to look what of it the trials call."""


def write_request(path: Path, request: GuestRequest) -> None:
    """Write it where the guest looks.

    Raises:
        OSError: it cannot be written.
    """
    path.write_bytes(pickle.dumps(request))


def read_request(path: Path) -> GuestRequest:
    """Inside the guest: what is to be measured."""
    found: GuestRequest = pickle.loads(path.read_bytes())  # noqa: S301 - of the gate around us
    return found
