"""The scripts beside a profile that it runs: they decide what is measured as much as it does.

A script counts when a command or variable names it below `profiles/`, or when one that counts names
it, as a neighbour in the same directory. A name that is not plainly a file's, such as
`profiles/work/{kind}.sh`, stands for every file below the directory that is certain. What is named
below `{side}` belongs to the subject under test.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from gate.files import disk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMED = re.compile(r"(?P<before>[^\s;|&<>()=]*?)(?<![\w.}-])profiles(?P<rest>/[^\s\"';|&<>()`,]*)")
_PLAIN = re.compile(r"[\w./+-]*")
_FILE = re.compile(r"[\w-]+\.[\w]+")


def scripts_of(texts: Iterable[str | None], root: Path) -> dict[str, str]:
    """Path from the project's root -> hash, of each script that commands and variables run.

    Raises:
        InputError: a script cannot be read.
    """
    waiting = [name for text in texts if text for name in _named(text, root)]
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        path = root / name
        if name in found or not path.is_file():
            continue
        text = disk.read_text(path, "script")
        found[name] = hashlib.sha256(text.encode()).hexdigest()
        waiting += [str(PurePosixPath(name).with_name(other)) for other in _FILE.findall(text)]
    return found


def _named(text: str, root: Path) -> Iterator[str]:
    """The files that a command or variable may mean."""
    for match in _NAMED.finditer(text):
        if "{side}" in match["before"]:
            continue
        parts = [part for part in match["rest"].split("/") if part not in ("", ".")]
        odd = (n for n, part in enumerate(parts) if not _PLAIN.fullmatch(part))
        certain = parts[: next(odd, len(parts))]
        if ".." in parts:
            certain = []
        place = root.joinpath("profiles", *certain)
        if place.is_file() and certain == parts:
            yield str(place.relative_to(root))
        else:
            yield from _below(place, root)


def _below(place: Path, root: Path) -> Iterator[str]:
    """Every file below the nearest directory that there is, but for profiles themselves."""
    top = root / "profiles"
    while place != top and not place.is_dir():
        place = place.parent
    for path in sorted(place.rglob("*")):
        if path.parent != top and "__pycache__" not in path.parts and path.is_file():
            yield str(path.relative_to(root))
