"""A machine that is played: every fact that the gate asks of Linux, answered out of a recording.

A recording is JSON: `files` (path to text), `links` (path to target; a path that leads to itself
is only there), `names` (directory to names, where more were listed than read), `commands`
(`lscpu -J` to what it printed) and `data` (path to base64, of files that are no text). What a
recording does not hold is absent on its machine.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

_HOPS = 40
"""Links on the way to a file, as many as the kernel follows."""


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
