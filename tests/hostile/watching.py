"""What a call of the gate does to the world, as Python's own audit events tell it."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn")
_NETWORK = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "socket.sendto",
    "urllib.Request",
)
_CODE = ("exec", "compile", "import", "ctypes.dlopen", "pickle.find_class", "marshal.loads")
_FILES = ("open", "os.", "shutil.", "tempfile.", "pathlib.", "glob.")
_WRITES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate")


class Seen:
    """Events of the calls that were watched."""

    def __init__(self) -> None:
        self.events: list[tuple[str, tuple[Any, ...]]] = []

    @property
    def programs(self) -> list[str]:
        """What was started, by its first word."""
        started = [args for name, args in self.events if name in _PROGRAMS]
        return [os.fspath(args[1][0]) if args[1:] and args[1] else str(args) for args in started]

    @property
    def network(self) -> list[str]:
        """What was connected to or looked up."""
        return [f"{name} {args}" for name, args in self.events if name in _NETWORK]

    def naming(self, mark: str) -> list[str]:
        """Files, programs, modules and code in whose name or text a mark stands."""
        told = (*_PROGRAMS, *_NETWORK, *_CODE)
        return [
            f"{name} {str(args)[:200]}"
            for name, args in self.events
            if (name in told or name.startswith(_FILES)) and mark in _text(args)
        ]

    def written(self, *allowed: Path) -> list[str]:
        """Files that were opened to write, made, renamed or removed outside of some places.

        A name relative to an open directory tells no place: `snapshot` sees what became of it.
        """
        found: list[str] = []
        for name, args in self.events:
            if name == "open" and _writes(args):
                found.append(os.fsdecode(args[0]))
            elif name in _WRITES:
                found += [os.fsdecode(one) for one in args if isinstance(one, _NAMES)]
        return [
            one
            for one in found
            if Path(one).is_absolute()
            and one != os.devnull
            and (".." in one or not any(Path(one).is_relative_to(place) for place in allowed))
        ]


_NAMES = (str, bytes, os.PathLike)


def snapshot(root: Path) -> dict[str, tuple[int, int, int]]:
    """Every file below a directory, with what changes when it does."""
    return {
        str(path): (found.st_mtime_ns, found.st_size, found.st_ino)
        for path in root.rglob("*")
        if (found := path.lstat()) and path.name != "index"  # git refreshes what it knows of times
    }


def _writes(args: tuple[Any, ...]) -> bool:
    name, mode, flags = args
    if isinstance(name, int):
        return False  # of a file that is open already
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def _text(args: tuple[Any, ...]) -> str:
    """The arguments as text; code objects tell their file's name only."""
    return " ".join(
        one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in args
    )


_WATCHING: list[Seen] = []


def _hook(name: str, args: tuple[Any, ...]) -> None:
    if _WATCHING and (name in _PROGRAMS + _NETWORK + _CODE or name.startswith(_FILES)):
        _WATCHING[-1].events.append((name, args))


sys.addaudithook(_hook)  # for good: Python has no way to take one back


@contextlib.contextmanager
def watched() -> Iterator[Seen]:
    """Record what happens; that Python keeps the code of modules it loads is no news."""
    seen, kept = Seen(), sys.dont_write_bytecode
    _WATCHING.append(seen)
    sys.dont_write_bytecode = True
    try:
        yield seen
    finally:
        sys.dont_write_bytecode = kept
        _WATCHING.remove(seen)
