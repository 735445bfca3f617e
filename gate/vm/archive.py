"""The first file system of a guest: a cpio archive, the same to the byte for the same content.

The format is `newc` of Documentation/driver-api/early-userspace/buffer-format.rst of Linux.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LIBRARY = re.compile(r"(?:=>\s*)?(/\S+)\s+\(0x[0-9a-f]+\)")


class MissingProgram(Exception):
    """A program that belongs into the guest is not here; the message says which."""


class Archive:
    """Files by their path in the guest."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, bytes]] = {}

    def add(self, path: str, content: bytes, *, runs: bool = False) -> None:
        """One file; `runs` makes it executable."""
        self._files[path.strip("/")] = (stat.S_IFREG | (0o755 if runs else 0o644), content)

    def add_directories(self, *paths: str) -> None:
        """Empty directories."""
        for path in paths:
            self._files[path.strip("/")] = (stat.S_IFDIR | 0o755, b"")

    def add_program(self, name: str, environment: Mapping[str, str]) -> str:
        """A program of this machine, found as a shell would, with the libraries it is linked to.

        It stands in the guest's /bin by its name, libraries where they stand here. Gives where it
        stands here.

        Raises:
            MissingProgram: it is not here, or no program.
        """
        found = shutil.which(name, path=environment.get("PATH"))
        if found is None:
            raise MissingProgram(f"{name} is not installed on this machine")
        try:
            self.add(f"bin/{Path(found).name}", Path(found).read_bytes(), runs=True)
            for library in _libraries(found):
                self.add(library, Path(library).read_bytes(), runs=True)
        except OSError as error:
            raise MissingProgram(f"{name} cannot be copied: {error}") from error
        return found

    def content(self) -> bytes:
        """The archive."""
        return b"".join(self._entries())

    def _entries(self) -> Iterable[bytes]:
        parents = {
            parent: (stat.S_IFDIR | 0o755, b"") for path in self._files for parent in _parents(path)
        }
        entries = [*sorted((parents | self._files).items()), ("TRAILER!!!", (0, b""))]
        for number, (path, (mode, content)) in enumerate(entries, 1):
            yield _entry(number, path, mode, content)


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _entry(number: int, path: str, mode: int, content: bytes) -> bytes:
    name = os.fsencode(path) + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + b"".join(f"{field:08x}".encode() for field in fields) + name
    return _padded(head) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _libraries(program: str) -> tuple[str, ...]:
    """Shared libraries and the loader of a program of this machine; none where it is static."""
    words = ("ldd", program)
    answer = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    return tuple(match[1] for match in map(_LIBRARY.search, answer.stdout.splitlines()) if match)
