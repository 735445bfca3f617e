"""What a check leaves behind however it ends: a handover and a report, closed if it failed.

What an earlier one left in the same directory is kept under another name before anything else
happens, so that nothing there says open of what was not judged.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.clock import now
from gate.errors import GateError, InputError
from gate.formats.session.session_file import read_session, write_handover
from gate.judge.verdict.findings import ERROR, failed_report
from gate.model import SCHEMA, Handover
from gate.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from gate.model import Edit, Report, Session, TextChange
    from gate.model.diagnosis import Why
    from gate.pipeline.request import CheckRequest

HANDOVER = "session.json"
_REPORTS = ("report.json", "report.html")
_OLD = ".old"
_INTERNAL = 1
_LONGEST = 4000
"""Characters of an error that the handover repeats."""
_SESSION = re.compile(r"head|base|pairs-base|pairs-head|strike-([1-9][0-9]{0,3})")
"""Names of the session files of one profile in the directory of a check."""


class CheckOutputs:
    """Knows what a check was about, and leaves a handover and a report of it."""

    def __init__(self, request: CheckRequest) -> None:
        self.place, self.shard = request.place, request.shard
        self._named = request.output.out is not None
        """Whether whoever started the check named the place, and so looks there."""
        self.profiles: tuple[str, ...] = ()
        """Names of the profiles to be measured, as soon as they are known."""
        self.edits: tuple[Edit, ...] = ()
        self.changes: tuple[TextChange, ...] = ()
        """What the tree that is measured edits, as soon as it is known."""
        self._renamed: tuple[str, ...] = ()
        self._handed_over = False

    def write_sessions(
        self, sessions: Sequence[Session], error: str = "", why: Sequence[Why] = ()
    ) -> None:
        """Write the sessions, why measuring ended too early, and what moved with what regressed."""
        handover = Handover(
            schema=SCHEMA,
            version=__version__,
            shard=self.shard.number,
            shards=self.shard.of,
            sessions=tuple(sessions),
            error=error,
            why=tuple(why),
        )
        write_handover(self.place / HANDOVER, handover)
        self._handed_over = not error

    def write_report(self, report: Report) -> None:
        """Write the report for programs and for people."""
        _write_report(report, self.place)

    @contextmanager
    def closing_on_error(self) -> Iterator[CheckOutputs]:
        """Leave a closed report of whatever error passes through.

        What a finished check left in the same directory is kept under other names. Where nobody
        named a directory and nothing was measured, none is made.
        """
        with _closing(self._leave):
            self._renamed = _rename_older(self.place, _REPORTS, ended=_is_failed)
            self._renamed += _rename_older(self.place, [HANDOVER], ended=_ended_early)
            yield self

    def _leave(self, report: Report) -> None:
        if not (self._named or os.path.lexists(self.place)):
            return
        if not self._handed_over:
            said = report.notes[0][:_LONGEST]
            _write_or_leave_none(
                self.place, [HANDOVER], lambda: self.write_sessions(self._measured(), said)
            )
        profiles = tuple(sorted(set(self.profiles)))
        report = replace(report, profiles=profiles, edits=self.edits, changes=self.changes)
        _leave_report(report, self.place, self._renamed)

    def _measured(self) -> tuple[Session, ...]:
        """Every session that this check has on disk, partial ones included; nothing else."""
        found: dict[str, Session] = {}
        for name in self.profiles:
            for path in sorted((self.place / name).glob("*.json"), key=_order):
                if _SESSION.fullmatch(path.stem):
                    with suppress(GateError):
                        session = read_session(path)
                        found.setdefault(session.id, session)
        return tuple(found.values())


def _order(path: Path) -> tuple[int, str]:
    known = _SESSION.fullmatch(path.stem)
    return (int(known[1]) if known and known[1] else 0), path.stem


@contextmanager
def closing_report_in(place: Path | None) -> Iterator[None]:
    """Leave a closed report in a directory, if there is one, of whatever error passes through.

    The report that lies there is kept under another name before anything is read.
    """
    if place is None:
        yield
        return
    aside: tuple[str, ...] = ()

    def leave(report: Report) -> None:
        _leave_report(report, place, aside)

    with _closing(leave):
        aside = _rename_older(place, _REPORTS, ended=_is_failed)
        yield


@contextmanager
def _closing(leave: Callable[[Report], None]) -> Iterator[None]:
    """Tell of an error by a closed report, and let it pass."""
    try:
        yield
    except Exception as error:
        what = f"internal error: {type(error).__name__}: {str(error)[:300]}"
        known = error if isinstance(error, GateError) else None
        report = failed_report(
            code=known.code if known else "G299",
            message=str(known) if known else what,
            exit_status=known.status if known else _INTERNAL,
            created=now(),
            version=__version__,
        )
        leave(report)
        raise


def _leave_report(report: Report, place: Path, aside: Sequence[str]) -> None:
    """Write the report of an error, and say where that is which was there before."""
    if aside:
        kept = f"what was there before is kept in {str(place)[-1000:]} as {', '.join(aside)}"
        click.echo(one_line(f"note: {kept}"), err=True)
        report = replace(report, notes=(*report.notes, kept))
    _write_or_leave_none(place, _REPORTS, lambda: _write_report(report, place))


def _write_report(report: Report, place: Path) -> None:
    from gate.pipeline.report_files import write_report  # noqa: PLC0415 - jinja, after measuring

    write_report(report, place)


def _write_or_leave_none(place: Path, names: Sequence[str], write: Callable[[], None]) -> None:
    """Write some files, or leave none: what cannot be written must not hide the error itself."""
    try:
        write()
    except Exception as trouble:  # noqa: BLE001 - the first error is the one to tell
        for name in names:
            with suppress(OSError):
                (place / name).unlink(missing_ok=True)
        if not isinstance(trouble, GateError | OSError):  # what is in the way is told already
            what = f"warning[G299]: {names[0]} is not written: {trouble!r}"
            click.echo(one_line(what[:_LONGEST]), err=True)


def _rename_older(
    place: Path, names: Sequence[str], *, ended: Callable[[object], bool]
) -> tuple[str, ...]:
    """Rename files of an earlier call, unless the first of them tells of an error.

    Returns the names of all that are kept so. One generation is: the last that came to a verdict,
    as an error stays where it is until another ending takes its place.
    """
    kept = tuple(name + _OLD for name in names)
    if not ended(_read(place / names[0])):
        for name, old in zip(names, kept, strict=True):
            _rename(place / name, place / old)
    return tuple(old for old in kept if os.path.lexists(place / old))


def _rename(path: Path, old: Path) -> None:
    if not os.path.lexists(path):
        return
    try:
        path.replace(old)
    except OSError as error:
        raise InputError(
            "G208",
            f"what was there before cannot be renamed: {error.strerror}.",
            cure="Check permissions, or name another directory.",
            place=str(path),
        ) from error


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_bytes()) if path.is_file() else None
    except (OSError, ValueError, RecursionError):
        return None


def _is_failed(told: object) -> bool:
    """Whether this is the report of an error, which says open to nobody."""
    return isinstance(told, dict) and (told.get("verdict"), told.get("gate")) == (ERROR, "closed")


def _ended_early(told: object) -> bool:
    """Whether this is a handover that says why measuring ended, so that nobody judges it whole."""
    return isinstance(told, dict) and bool(told.get("error"))
