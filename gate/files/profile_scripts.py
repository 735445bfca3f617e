"""The scripts beside a profile that its commands run: they decide what is measured as much as it.

A script counts when a command names it below `profiles/`, or when one that counts names it, as a
neighbour in the same directory. What commands name elsewhere belongs to the subject under test.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from gate.files import disk

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED = re.compile(r"(?<![\w./}-])profiles/[\w./-]+")
_FILE = re.compile(r"[\w-]+\.[\w]+")


def scripts_of(commands: Iterable[str | None], root: Path) -> dict[str, str]:
    """Path from the project's root -> hash, of each script that the commands run.

    Raises:
        InputError: a script cannot be read.
    """
    waiting = [name for text in commands if text for name in _NAMED.findall(text)]
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        path = root / name
        if name in found or ".." in PurePosixPath(name).parts or not path.is_file():
            continue
        text = disk.read_text(path, "script")
        found[name] = hashlib.sha256(text.encode()).hexdigest()
        waiting += [str(PurePosixPath(name).with_name(other)) for other in _FILE.findall(text)]
    return found
