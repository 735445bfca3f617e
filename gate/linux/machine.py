"""How facts of a machine are read, and recorded.

Whoever wants facts asks a `LinuxMachine`, so that recorded machines can be played. Nothing raises:
what is absent, unreadable or hangs is simply not known.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Protocol

_LARGEST = 4 << 20
_PIECE = 64 << 10
"""Bytes asked for at once: below /proc/sys the kernel refuses a read of 4 MiB (ENOMEM)."""
_PATIENCE = 2.0
"""Seconds that a program may take to answer."""
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
"""Where system programs stand: a directory of the project's own must not come before them."""


class LinuxMachine(Protocol):
    """A machine that can be asked."""

    def text(self, path: str) -> str:
        """A file's text; empty where it cannot be read."""
        ...

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted; none where it cannot be read."""
        ...

    def real(self, path: str) -> str:
        """The path with every link resolved; empty where nothing is there."""
        ...

    def ask(self, *argv: str) -> str:
        """What a program prints; empty where it is missing, fails or takes too long."""
        ...


class RawMachine(LinuxMachine, Protocol):
    """A machine whose files need not be text."""

    def data(self, path: str) -> bytes:
        """A file's bytes; none where it cannot be read."""
        ...


class ThisMachine:
    """The machine that this process runs on."""

    def text(self, path: str) -> str:
        return self.data(path).decode("utf-8", "replace")

    def data(self, path: str) -> bytes:
        try:
            with Path(path).open("rb", buffering=0) as stream:
                found = bytearray()
                while len(found) < _LARGEST and (piece := stream.read(_PIECE)):
                    found += piece
                return bytes(found)
        except (OSError, ValueError):
            return b""

    def names(self, path: str) -> tuple[str, ...]:
        try:
            return tuple(sorted(os.listdir(path)))
        except OSError:
            return ()

    def real(self, path: str) -> str:
        try:
            return str(Path(path).resolve(strict=True))
        except (OSError, RuntimeError):
            return ""

    def ask(self, *argv: str) -> str:
        try:
            done = subprocess.run(
                argv,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_PATIENCE,
                env={"PATH": _PATH, "LC_ALL": "C.UTF-8"},
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        return done.stdout.decode("utf-8", "replace")


def line(machine: LinuxMachine, *paths: str) -> str:
    """The first line, stripped, of the first of some files that has any; empty where none has."""
    texts = filter(None, (machine.text(path).strip() for path in paths))
    return next(texts, "\n").splitlines()[0].strip()


def read_boot_id(machine: LinuxMachine) -> str:
    """The kernel's id of this boot; empty when unknown."""
    return line(machine, "/proc/sys/kernel/random/boot_id")


class MachineRecorder:
    """Asks another machine, each thing once, and remembers the answers.

    Whatever is read of it twice is the same both times, and nothing that was not asked is recorded.
    """

    def __init__(self, machine: LinuxMachine) -> None:
        self._machine = machine
        self.files: dict[str, str] = {}
        """Texts by path; empty ones were not there, here and below."""
        self.listed: dict[str, tuple[str, ...]] = {}
        """Names by directory."""
        self.links: dict[str, str] = {}
        """Where paths led, by path."""
        self.commands: dict[str, str] = {}
        """What programs said, by their words."""

    def text(self, path: str) -> str:
        if path not in self.files:
            self.files[path] = self._machine.text(path)
        return self.files[path]

    def names(self, path: str) -> tuple[str, ...]:
        if path not in self.listed:
            self.listed[path] = self._machine.names(path)
        return self.listed[path]

    def real(self, path: str) -> str:
        if path not in self.links:
            self.links[path] = self._machine.real(path)
        return self.links[path]

    def ask(self, *argv: str) -> str:
        asked = " ".join(argv)
        if asked not in self.commands:
            self.commands[asked] = self._machine.ask(*argv)
        return self.commands[asked]
