"""Which functions of the kernel itself differ between two build trees, by their object files.

A linked kernel has lost what the linker filled in, so that every function behind one that grew
looks changed. Its object files still have it, and only those that differ are looked into.
"""

from __future__ import annotations

import filecmp
import os
from pathlib import Path

from gate.vm.code import differing_functions
from gate.vm.elf import NotRead

_NOT_LINKED = frozenset({"scripts", "tools", "usr", "samples", "Documentation", "debian"})
_NOT_KERNEL = frozenset({"boot", "realmode", "purgatory", "vdso"})
"""Below arch/: what runs before the kernel, or in programs."""


class NotCompared(Exception):
    """The build trees tell not enough; the message says what is missing."""


def changed_in(base: Path, head: Path) -> dict[str, str]:
    """Functions of the kernel that differ between two build trees: what happened to each, by name.

    Raises:
        NotCompared: an object file cannot be read, or a tree has none.
    """
    before, after = _objects(base), _objects(head)
    if not before or not after:
        message = f"there is no object file in {base if not before else head}"
        raise NotCompared(message)
    linked = _linked(base) | _linked(head)
    found: dict[str, str] = {}
    for name in sorted(before | after):
        for function, how in _of_file(base / name, head / name).items():
            if function in linked and found.setdefault(function, how) != how:
                found[function] = "changed"  # it went from one file to another
    return dict(sorted(found.items()))


def _of_file(base: Path, head: Path) -> dict[str, str]:
    try:
        if base.is_file() and head.is_file() and filecmp.cmp(base, head, shallow=False):
            return {}
        return differing_functions(
            *(path.read_bytes() if path.is_file() else b"" for path in (base, head))
        )
    except (OSError, NotRead) as error:
        raise NotCompared(f"{base.name}: {error}") from error


def _objects(tree: Path) -> set[str]:
    """Object files that are linked into the kernel, as seen from the tree's top."""
    found, modules = set(), set()
    for directory, below, files in os.walk(tree):
        place = Path(directory)
        depth = place.relative_to(tree).parts
        below[:] = [one for one in below if not _is_apart(depth, one)]
        for name in files:
            if name.endswith(".o") and not name.startswith(".") and not name.endswith(".mod.o"):
                found.add(str((place / name).relative_to(tree)))
            elif name.endswith(".mod"):
                modules.add(str((place / name).relative_to(tree))[:-4] + ".o")
                words = (place / name).read_text(encoding="utf-8", errors="replace").split()
                modules.update(word for word in words if word.endswith(".o"))
    return found - modules - {"vmlinux.o"}


def _is_apart(above: tuple[str, ...], name: str) -> bool:
    if not above:
        return name in _NOT_LINKED
    return above[0] == "arch" and name in _NOT_KERNEL


def _linked(tree: Path) -> set[str]:
    """Names that the linked kernel has."""
    try:
        text = (tree / "System.map").read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise NotCompared(f"System.map: {error.strerror}") from error
    return {line.split()[-1] for line in text.splitlines() if line.strip()}
