"""Which functions differ between base and head, of all that a guest runs in its kernel.

Of modules their files say it. A linked kernel has lost what the linker filled in, so that every
function behind one that grew looks changed: `gate build-kernel` compares the object files instead,
and leaves what it found in each side's directory as `changed-functions.json`, bound to both kernels
by their build-ids and of no use for any other two.
"""

from __future__ import annotations

import filecmp
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Changes
from gate.model.patch_coverage import HOW
from gate.vm.build import read_side
from gate.vm.code import differing_functions
from gate.vm.elf import NotRead

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.vm.modules import Module
    from gate.vm.symbols import Symbols

NAME = "changed-functions.json"
_SCHEMA = 1
_LARGEST = 1 << 26
_NOT_LINKED = frozenset({"scripts", "tools", "usr", "samples", "Documentation", "debian"})
_NOT_KERNEL = frozenset({"boot", "realmode", "purgatory", "vdso"})
"""Below arch/: what runs before the kernel, or in programs."""


def recorded_text(build_ids: tuple[str, str], functions: Mapping[str, str]) -> str:
    """The file's text: the build-ids of base and head, and what happened to each function."""
    base, head = build_ids
    recorded = {"schema": _SCHEMA, "base": base, "head": head, "functions": dict(functions)}
    return json.dumps(recorded, indent=1) + "\n"


def read_recorded(directory: Path, build_ids: tuple[str, str]) -> dict[str, str] | str:
    """What was recorded of two kernels; or, in words, why nothing of use was."""
    path = directory / NAME
    try:
        if path.stat().st_size > _LARGEST:
            return f"{NAME} is too large"
        recorded = json.loads(path.read_bytes())
        functions, ids = recorded["functions"], (recorded["base"], recorded["head"])
        known = recorded["schema"] == _SCHEMA and all(one in HOW for one in functions.values())
    except FileNotFoundError:
        return f"there is no {NAME}, as `gate build-kernel` writes it"
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return f"{NAME} cannot be read"
    if not known:
        return f"{NAME} cannot be read"
    if ids != build_ids:
        return f"{NAME} is of other kernels"
    return {str(name): str(kind) for name, kind in functions.items()}


def changes_between(base: tuple[Path, Iterable[str]], head: tuple[Path, Iterable[str]]) -> Changes:
    """Compare two sides (or G265), each its directory and the modules that its guest loads."""
    was, old, _ = read_side(*base)
    now, new, _ = read_side(*head)
    kernel: dict[str, str] = {}
    unknown = []
    if was.build_id != now.build_id:
        recorded = _recorded((base[0], head[0]), (was.build_id, now.build_id))
        if isinstance(recorded, str):
            unknown.append(f"the kernels differ, and {recorded}")
        else:
            kernel = recorded
    modules = module_changes(old, new)
    unknown += filter(None, [modules.unknown])
    return Changes(
        kernel | modules.functions,
        "; ".join(unknown),
        identical=was.build_id == now.build_id and modules.identical,
    )


def module_changes(base: Iterable[Module], head: Iterable[Module]) -> Changes:
    """The same of the modules of both sides alone."""
    before, after = ({one.name: one for one in side} for side in (base, head))
    found: dict[str, str] = {}
    unknown = ""
    try:
        for name in sorted(before.keys() | after.keys()):
            old, new = (side[name].content if name in side else b"" for side in (before, after))
            how = differing_functions(old, new) if old != new else {}
            found |= {f"{function} [{name}]": one for function, one in how.items()}
    except NotRead as error:
        unknown = f"a module cannot be compared: {error}"
    ids = [{one.name: one.build_id for one in side.values()} for side in (before, after)]
    return Changes(found, unknown, identical=ids[0] == ids[1])


def _recorded(directories: tuple[Path, Path], ids: tuple[str, str]) -> dict[str, str] | str:
    """What either side's directory says of both kernels, or why none does."""
    recorded = read_recorded(directories[1], ids)
    if isinstance(recorded, dict):
        return recorded
    other = read_recorded(directories[0], ids)
    return other if isinstance(other, dict) else recorded


class FunctionRuns(NamedTuple):
    """What a function executed between the marks."""

    instructions: int
    shared: bool
    """Whether several functions have its name."""


def executed_functions(
    blocks: Mapping[int, int], symbols: Symbols, functions: Mapping[str, str]
) -> dict[str, FunctionRuns]:
    """Those of `functions` that were executed, by the blocks that were counted."""
    starts = symbols.starts(functions)
    found: dict[str, int] = {}
    for address, count in blocks.items():
        for name in starts.get(symbols.start(address), ()):
            found[name] = found.get(name, 0) + count
    shared = symbols.shared(found)
    return {name: FunctionRuns(count, name in shared) for name, count in found.items() if count}


class NotCompared(Exception):
    """The build trees say too little; the message says what is missing."""


def changed_in(base: Path, head: Path) -> dict[str, str]:
    """Functions of the kernel that differ between two build trees: what happened to each, by name.

    Raises:
        NotCompared: an object file cannot be read, or a tree has none.
    """
    before, after = _objects(base), _objects(head)
    if not before or not after:
        raise NotCompared(f"there is no object file in {base if not before else head}")
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
        above = place.relative_to(tree).parts
        apart = (_NOT_KERNEL if above[0] == "arch" else frozenset()) if above else _NOT_LINKED
        below[:] = [one for one in below if one not in apart]
        for name in files:
            if name.endswith(".o") and not name.startswith(".") and not name.endswith(".mod.o"):
                found.add(str((place / name).relative_to(tree)))
            elif name.endswith(".mod"):
                modules.add(str((place / name).relative_to(tree))[:-4] + ".o")
                words = (place / name).read_text(encoding="utf-8", errors="replace").split()
                modules.update(word for word in words if word.endswith(".o"))
    return found - modules - {"vmlinux.o"}


def _linked(tree: Path) -> set[str]:
    """Names that the linked kernel has."""
    try:
        text = (tree / "System.map").read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise NotCompared(f"System.map: {error.strerror}") from error
    return {line.split()[-1] for line in text.splitlines() if line.strip()}
