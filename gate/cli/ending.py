"""What a check leaves behind however it ends: a handover and a report, closed if it failed."""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.cli.progress import one_line
from gate.errors import GateError
from gate.files.handover_file import write_handover
from gate.files.session_file import read_session
from gate.judge.failed import ERROR, failed_report
from gate.measure.sitting import now
from gate.model import SCHEMA, Handover

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from gate.cli.shards import Shard
    from gate.model import Edit, Session

HANDOVER = "session.json"
_REPORTS = ("report.json", "report.html")
_INTERNAL = 1
_LONGEST = 4000
"""Characters of an error that the handover repeats."""
_SESSION = re.compile(r"head|pairs-base|pairs-head|strike-([1-9][0-9]{0,3})")
"""Names of the session files of one profile in the directory of a check."""


class Ending:
    """Knows what a check was about, and leaves a handover and a report of it."""

    def __init__(self, place: Path, shard: Shard, *, named: bool) -> None:
        """`named`: whoever started the check named the place, and so looks there."""
        self.place, self.shard, self._named = place, shard, named
        self.profiles: tuple[str, ...] = ()
        """Names of the profiles to be measured, as soon as they are known."""
        self.edits: tuple[Edit, ...] = ()
        self._finished = is_finished(place)
        self._handed_over = False

    def hand_over(self, sessions: Sequence[Session], error: str = "") -> None:
        """Write the sessions, and why measuring ended too early if it did.

        Raises:
            InputError: the directory cannot be written.
        """
        write_handover(
            self.place / HANDOVER,
            Handover(
                schema=SCHEMA,
                version=__version__,
                shard=self.shard.number,
                shards=self.shard.of,
                sessions=tuple(sessions),
                error=error,
            ),
        )
        self._handed_over = not error

    @contextmanager
    def told(self) -> Iterator[None]:
        """Leave a closed report of whatever error passes through.

        An earlier check that was finished in the same directory stays as it is. Where nobody named
        a directory and nothing was measured, none is made.
        """
        try:
            yield
        except GateError as error:
            self._leave(error.code, str(error), error.status)
            raise
        except Exception as error:
            what = f"internal error: {type(error).__name__}: {str(error)[:300]}"
            self._leave("G299", what, _INTERNAL)
            raise

    def _leave(self, code: str, message: str, status: int) -> None:
        """Leave what tells of an error; what cannot be written must not hide the error itself."""
        if self._finished or not (self._named or os.path.lexists(self.place)):
            return
        if not self._handed_over:
            said = " ".join(f"{code}: {message}".split())[:_LONGEST]
            self._left([HANDOVER], lambda: self.hand_over(self._measured(), said))
        report = failed_report(
            code=code,
            message=message,
            exit_status=status,
            created=now(),
            version=__version__,
            profiles=self.profiles,
            edits=self.edits,
        )

        def write() -> None:
            from gate.cli.output import write_report  # noqa: PLC0415 - jinja, when it is needed

            write_report(report, self.place)

        self._left(_REPORTS, write)

    def _left(self, names: Sequence[str], write: Callable[[], None]) -> None:
        """Write some files, or leave none of them: an older one beside them could say open."""
        try:
            write()
        except Exception as trouble:  # noqa: BLE001 - the first error is the one to tell
            for name in names:
                with suppress(OSError):
                    (self.place / name).unlink(missing_ok=True)
            if not isinstance(trouble, GateError | OSError):  # what is in the way is told already
                what = f"warning[G299]: {names[0]} is not written: {trouble!r}"
                click.echo(one_line(what[:_LONGEST]), err=True)

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


def is_finished(place: Path) -> bool:
    """Whether a directory holds the report of a check that came to a verdict."""
    try:
        told = json.loads((place / _REPORTS[0]).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and told.get("verdict") not in {ERROR, None}
