"""How facts of a machine are read: of this one, or out of a recording of another.

Whoever wants facts asks a `LinuxMachine`, so that recorded machines can be played. Nothing raises:
what is absent, unreadable or hangs is simply not known.

A recording is JSON: `files` (path to text), `links` (path to target; a path that leads to itself
is only there), `names` (directory to names, where more were listed than read), `commands`
(`lscpu -J` to what it printed) and `data` (path to base64, of files that are no text). What a
recording does not hold is absent on its machine.
"""

from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path
from typing import Any, Protocol

_LARGEST = 4 << 20
_PIECE = 64 << 10
"""Bytes asked for at once: below /proc/sys the kernel refuses a read of 4 MiB (ENOMEM)."""
_PATIENCE = 2.0
"""Seconds that a program may take to answer."""
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
"""Where system programs stand: a directory of the project's own must not come before them."""
_HOPS = 40
"""Links on the way to a file, as many as the kernel follows."""


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


def line(machine: LinuxMachine, path: str) -> str:
    """A file's first line, stripped; empty where there is none."""
    return next(iter(machine.text(path).strip().splitlines()), "").strip()


def read_boot_id(machine: LinuxMachine) -> str:
    """The kernel's id of this boot; empty when unknown."""
    return line(machine, "/proc/sys/kernel/random/boot_id")


class RecordedMachine:
    """A machine that answers out of a recording; see `LinuxMachine` for what the answers mean."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._files: dict[str, str] = data.get("files", {})
        self._links: dict[str, str] = data.get("links", {})
        self._commands: dict[str, str] = data.get("commands", {})
        self._data: dict[str, str] = data.get("data", {})
        self._below: dict[str, set[str]] = {"/": set()}
        listed: dict[str, list[str]] = data.get("names", {})
        for path in (*self._files, *self._data, *self._links, *listed):
            self._is_there(path)
        for path, target in self._links.items():
            self._is_there(_joined(path, target))
        for path, names in listed.items():
            self._below.setdefault(path, set()).update(names)

    def _is_there(self, path: str) -> None:
        """A path that is known makes all directories above it known."""
        while path not in {"/", ""}:
            self._below.setdefault(path, set())
            above, _, name = path.rpartition("/")
            self._below.setdefault(above or "/", set()).add(name)
            path = above

    def text(self, path: str) -> str:
        return self._files.get(path) or self._files.get(self.real(path), "")

    def data(self, path: str) -> bytes:
        if path in self._data:
            return base64.b64decode(self._data[path])
        return self.text(path).encode()

    def names(self, path: str) -> tuple[str, ...]:
        found = self._below.get(path, set()) | self._below.get(self.real(path), set())
        return tuple(sorted(found))

    def real(self, path: str) -> str:
        for _ in range(_HOPS):
            followed = self._one_link(path)
            if followed == path:
                return path if path in self._below else ""
            path = followed
        return ""

    def _one_link(self, path: str) -> str:
        """The path with its last recorded link followed: the longest beginning that is one."""
        head, tail = path, ""
        while head not in {"/", ""}:
            target = _joined(head, self._links.get(head, head))
            if target != head:
                return target + tail
            above, _, name = head.rpartition("/")
            head, tail = above, f"/{name}{tail}"
        return path

    def ask(self, *argv: str) -> str:
        return self._commands.get(" ".join(argv), "")


def _joined(path: str, target: str) -> str:
    """Where a link at `path` leads, without dots."""
    parts: list[str] = []
    whole = target if target.startswith("/") else f"{Path(path).parent}/{target}"
    for part in whole.split("/"):
        if part == "..":
            parts[-1:] = []
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


class MachineRecorder:
    """Asks another machine, each thing once, and remembers the answers.

    Whatever is read of it twice is the same both times, and nothing that was not asked is recorded.
    """

    def __init__(self, machine: LinuxMachine) -> None:
        self._machine = machine
        self._texts: dict[str, str] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._reals: dict[str, str] = {}
        self._answers: dict[str, str] = {}

    def text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = self._machine.text(path)
        return self._texts[path]

    def names(self, path: str) -> tuple[str, ...]:
        if path not in self._names:
            self._names[path] = self._machine.names(path)
        return self._names[path]

    def real(self, path: str) -> str:
        if path not in self._reals:
            self._reals[path] = self._machine.real(path)
        return self._reals[path]

    def ask(self, *argv: str) -> str:
        asked = " ".join(argv)
        if asked not in self._answers:
            self._answers[asked] = self._machine.ask(*argv)
        return self._answers[asked]

    @property
    def files(self) -> dict[str, str]:
        """Texts that were there, by path."""
        return {path: text for path, text in self._texts.items() if text}

    @property
    def listed(self) -> dict[str, tuple[str, ...]]:
        """Names that were there, by directory."""
        return {path: names for path, names in self._names.items() if names}

    @property
    def links(self) -> dict[str, str]:
        """Where paths led, by path."""
        return {path: real for path, real in self._reals.items() if real}

    @property
    def commands(self) -> dict[str, str]:
        """What programs said, by their words."""
        return {asked: said for asked, said in self._answers.items() if said}
