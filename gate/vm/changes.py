"""Which functions differ between base and head, of all that a guest runs in its kernel.

`changed-functions.json` in a side's directory: what `gate build-kernel` saw to differ.

It is bound to both kernels by their build-ids, and of no use for any other two.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Changes
from gate.vm.build import read_side
from gate.vm.code import differing_functions
from gate.vm.elf import NotRead

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from gate.vm.modules import Module
    from gate.vm.symbols import Symbols


NAME = "changed-functions.json"
_SCHEMA = 1
_LARGEST = 1 << 26
KINDS = ("changed", "added", "removed")


def recorded_text(build_ids: tuple[str, str], functions: Mapping[str, str]) -> str:
    """The file's text: the build-ids of base and head, and what happened to each function."""
    base, head = build_ids
    told = {"schema": _SCHEMA, "base": base, "head": head, "functions": dict(functions)}
    return json.dumps(told, indent=1) + "\n"


def read_recorded(directory: Path, build_ids: tuple[str, str]) -> dict[str, str] | str:
    """What was recorded of two kernels; or, in words, why nothing of use was."""
    path = directory / NAME
    try:
        if path.stat().st_size > _LARGEST:
            return f"{NAME} is too large"
        told = json.loads(path.read_bytes())
        functions, ids = told["functions"], (told["base"], told["head"])
        known = told["schema"] == _SCHEMA and all(kind in KINDS for kind in functions.values())
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
    """Compare two sides, each its directory and the modules that its guest loads.

    Raises:
        InputError: G265, a side cannot be read.
    """
    was, old, _ = read_side(*base)
    now, new, _ = read_side(*head)
    kernel: dict[str, str] = {}
    unknown = []
    if was.build_id != now.build_id:
        told = _recorded((base[0], head[0]), (was.build_id, now.build_id))
        if isinstance(told, str):
            unknown.append(f"the kernels differ, and {told}")
        else:
            kernel = told
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
            found |= _of_module(name, before.get(name), after.get(name))
    except NotRead as error:
        unknown = f"a module cannot be compared: {error}"
    ids = [{one.name: one.build_id for one in side.values()} for side in (before, after)]
    return Changes(found, unknown, identical=ids[0] == ids[1])


def _recorded(directories: tuple[Path, Path], ids: tuple[str, str]) -> dict[str, str] | str:
    """What either side's directory tells of both kernels, or why none does."""
    told = read_recorded(directories[1], ids)
    if isinstance(told, dict):
        return told
    other = read_recorded(directories[0], ids)
    return other if isinstance(other, dict) else told


def _of_module(name: str, base: Module | None, head: Module | None) -> dict[str, str]:
    before, after = (one.content if one else b"" for one in (base, head))
    if before == after:
        return {}
    return {f"{one} [{name}]": how for one, how in differing_functions(before, after).items()}


class Executed(NamedTuple):
    """What a function executed between the marks."""

    instructions: int
    shared: bool
    """Whether several functions have its name."""


def executed_functions(
    blocks: Mapping[int, int], symbols: Symbols, functions: Mapping[str, str]
) -> dict[str, Executed]:
    """Those of `functions` that were executed, by the blocks that were counted."""
    starts = symbols.starts(functions)
    found: dict[str, int] = {}
    for address, count in blocks.items():
        for name in starts.get(symbols.start(address), ()):
            found[name] = found.get(name, 0) + count
    shared = symbols.shared(found)
    return {name: Executed(count, name in shared) for name, count in found.items() if count}
