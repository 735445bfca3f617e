"""Plain files of a folder of the working tree, copied apart: no link is followed on the way.

The working tree may be a stranger's. What is read of it is read from the copy, so that a link
leads nowhere.
"""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

from gate import vcs
from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def copy_plain(top: Path, paths: Sequence[str], target: Path) -> tuple[str, ...]:
    """Copy files and whole folders, named from `top`, below `target`; returns what is not plain.

    Raises:
        InputError: G241, they are too large; G201, one cannot be read.
    """
    # One folder may lie inside the other: each file counts once.
    found = {inner: state for path in paths for inner, state in _below(top, path)}
    plain = [(path, one.st_size) for path, one in found.items() if stat.S_ISREG(one.st_mode)]
    vcs.refuse_too_much(plain)
    for path, _ in plain:
        _copy(top / path, target / path)
    return tuple(path for path, state in found.items() if not stat.S_ISREG(state.st_mode))


def _below(top: Path, path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Each file below a path, or the path itself; where a link is on the way, that one alone."""
    place = top
    parts = path.split("/")
    for number, part in enumerate(parts, 1):
        place /= part
        try:
            state = place.lstat()
        except (OSError, ValueError):
            return
        if not stat.S_ISDIR(state.st_mode):
            # A file where a folder is looked for holds nothing of what is looked for.
            if number == len(parts) or not stat.S_ISREG(state.st_mode):
                yield "/".join(parts[:number]), state
            return
    yield from _walk(place, path)


def _walk(folder: Path, path: str) -> Iterator[tuple[str, os.stat_result]]:
    waiting = [(folder, path)]
    while waiting:
        place, name = waiting.pop()
        with os.scandir(place) as listed:
            entries = sorted(listed, key=lambda one: one.name)
        for one in entries:
            state = one.stat(follow_symlinks=False)
            inner = f"{name}/{one.name}"
            if not stat.S_ISDIR(state.st_mode):
                yield inner, state
            elif one.name not in {".git", "__pycache__"}:
                waiting.append((place / one.name, inner))


def _copy(source: Path, target: Path) -> None:
    try:
        handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                shutil.copyfileobj(stream, file)
    except OSError as error:
        why = error.strerror or "unknown"
        raise InputError("G201", f"cannot be read: {why}.", place=str(source)) from error
