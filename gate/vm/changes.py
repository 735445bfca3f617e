"""Which functions differ between base and head, of all that a guest runs in its kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.model import Changes
from gate.vm.build import read_side
from gate.vm.code import differing
from gate.vm.elf import NotRead
from gate.vm.recorded import read_recorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from gate.vm.modules import Module
    from gate.vm.symbols import Symbols


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
    return {f"{one} [{name}]": how for one, how in differing(before, after).items()}


class Executed(NamedTuple):
    """What a function executed between the marks."""

    instructions: int
    shared: bool
    """Whether several functions have its name."""


def executed(
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
