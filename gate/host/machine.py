"""How facts of a machine are read: below its root, or out of a recording of it.

Whoever asks for facts asks a `Machine`, so that recorded machines can be played. Nothing raises:
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
"""Seconds that a program may take to tell a fact."""


class Machine(Protocol):
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


class ThisMachine:
    """The machine that this process runs on."""

    def text(self, path: str) -> str:
        """A file's text; empty where it cannot be read."""
        return self.data(path).decode("utf-8", "replace")

    def data(self, path: str) -> bytes:
        """A file's bytes; none where it cannot be read."""
        try:
            with Path(path).open("rb", buffering=0) as stream:
                found = bytearray()
                while len(found) < _LARGEST and (piece := stream.read(_PIECE)):
                    found += piece
                return bytes(found)
        except (OSError, ValueError):
            return b""

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted; none where it cannot be read."""
        try:
            return tuple(sorted(os.listdir(path)))  # noqa: PTH208 - names, no paths
        except OSError:
            return ()

    def real(self, path: str) -> str:
        """The path with every link resolved; empty where nothing is there."""
        try:
            return str(Path(path).resolve(strict=True))
        except (OSError, RuntimeError):
            return ""

    def ask(self, *argv: str) -> str:
        """What a program prints; empty where it is missing, fails or takes too long."""
        try:
            done = subprocess.run(  # noqa: S603 - a list of words of our own
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


_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
"""Where system programs stand: a directory of the project's own must not come before them."""


def line(machine: Machine, path: str) -> str:
    """A file's first line, stripped; empty where there is none."""
    return next(iter(machine.text(path).strip().splitlines()), "").strip()
