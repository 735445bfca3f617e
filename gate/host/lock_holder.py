"""Who holds the measuring lock: the kernel says which process, the lock's file what it does.

Everybody may write into the file: what it says counts for the process that the kernel names, and
nothing of it may steer a terminal.
"""

from __future__ import annotations

import os
import pwd
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.linux.file_locks import flock_heirs, flock_owner
from gate.linux.machine import ThisMachine
from gate.linux.processes import lives, start_of
from gate.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 60
"""Characters of a command line that are shown."""
_LARGEST = 4096
_UNNAMED = "another process measures on this host"
GUARDIAN = "gate-guardian"
"""What the process is called that tidies up after a killed gate, and holds its lock until then."""
TIDIED = "a killed gate is being tidied up after"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A process that measures; empty fields are not known."""

    number: int = 0
    born: str = ""
    """Clock ticks from boot to its start: numbers come again, both together do not."""
    user: str = ""
    since: str = ""
    """UTC, `2026-07-29 22:14:03`."""
    command: str = ""
    silent: bool = False
    """Whether only the kernel names it, and the lock's file does not."""

    def text(self) -> str:
        """What the lock's file holds: a line for each thing, the number first."""
        return f"{self.number}\n{self.born}\n{self.user}\n{self.since}\n{self.command}\n"

    @classmethod
    def read(cls, content: bytes) -> Holder:
        """From a lock's file; whatever else stands there is nobody."""
        lines = content.decode("utf-8", "replace").splitlines()
        lines += [""] * (5 - len(lines))
        number, born, user, since, command = (printable(line).strip() for line in lines[:5])
        if not (number.isdecimal() and len(number) < 10):
            return cls()
        return cls(
            number=int(number),
            born=born[:20] if born.isdecimal() and int(born[:20]) else "",
            user=user[:32],
            since=since[:19],
            command=command[:_LONGEST],
        )

    @classmethod
    def of(cls, handle: int) -> Holder:
        """Who holds the lock on an open file, by the kernel; where that cannot say, by the file."""
        written = cls.read(os.pread(handle, _LARGEST, 0))
        owner = flock_owner(handle)
        if owner <= 0 or (owner == written.number and not written.gone):
            return written
        if start_of(owner):
            return cls._named(owner)
        heirs = flock_heirs(handle)
        mine = owner == written.number and (not heirs or any(map(_may_tidy_up, heirs)))
        return written if mine or not heirs else cls._named(heirs[0])

    @classmethod
    def _named(cls, number: int) -> Holder:
        """A process that has said nothing, by what the kernel knows of it."""
        return cls(
            number=number,
            born=start_of(number),
            user=_name_of(_user_of(number)),
            command=printable(_called(number))[:_LONGEST],
            silent=True,
        )

    @property
    def gone(self) -> bool:
        """Whether it has said who it is, and has ended since."""
        return bool(self.number and self.born) and not lives(self.number, self.born)

    def description(self) -> str:
        """`process 4711 (gate check smoke-fio, root) measures here since 22:14:03 UTC`.

        Somebody else holds the lock where the process named is gone or is another one by now: a
        child that it left behind, or one that has not yet said who it is.
        """
        if not self.number:
            return _UNNAMED
        who = ", ".join(part for part in (self.command, self.user) if part)
        name = f"process {self.number}{f' ({who})' if who else ''}"
        if self.gone:
            return f"{TIDIED}, or {_UNNAMED}; the last one that said so is gone from here: {name}"
        if self.silent:
            return f"{name} holds the lock, and has not said what it does"
        today = time.strftime("%Y-%m-%d ", time.gmtime())
        since = f" since {self.since.removeprefix(today)} UTC" if self.since else ""
        return f"{name} measures here{since}"


def this_process() -> Holder:
    """This process, from now on."""
    return Holder(
        number=os.getpid(),
        born=start_of(os.getpid()),
        user=_user(),
        since=time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()),
        command=printable(_command(sys.argv)).strip()[:_LONGEST],
    )


def _command(words: Sequence[str]) -> str:
    """A command line for everybody's eyes: what is given after `=` may be a secret."""
    program = Path(words[0]).name
    parts = [word.partition("=") for word in words[1:]]
    kept = [f"{name}=..." if equals else name for name, equals, _ in parts]
    return shlex.join(["gate" if program == "__main__.py" else program, *kept])


def _user() -> str:
    return _name_of(os.geteuid())


def _name_of(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def _user_of(number: int) -> int:
    try:
        return Path(f"/proc/{number}").stat().st_uid
    except OSError:
        return -1


def _called(number: int) -> str:
    return ThisMachine().text(f"/proc/{number}/comm").strip()


def _may_tidy_up(number: int) -> bool:
    """Whether a process that inherited the lock may be a guardian."""
    return _called(number) == GUARDIAN
