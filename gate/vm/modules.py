"""Kernel modules of a side: found by name, with those that they need, in the order of loading."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.linux.kernel_modules import build_id_of
from gate.vm.image import CODE, unbootable
from gate.vm.packed import NotUnpacked, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_FIRST = ("updates", "extra", "kernel")
"""Directories in which the same module is looked for, as depmod does by default."""
_SUFFIX = re.compile(r"\.ko(\.(gz|xz|zst))?$")
_LARGEST = 1 << 28
"""Bytes that are read of one; what is cut off makes it unreadable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One module to load."""

    name: str
    """With underscores."""
    parameters: tuple[str, ...]
    """`nr_devices=1`."""
    content: bytes
    build_id: str
    """What its notes in /sys/module will say."""


class ModuleTree:
    """The modules of one release below a side's directory, or in it as plain NAME.ko.

    What is found in none of these is looked for in the tree of another directory, `beside`. What
    the kernel `has` already, nothing needs to load.
    """

    def __init__(
        self,
        directory: Path,
        release: str,
        *,
        beside: Path | None = None,
        has: frozenset[str] = frozenset(),
    ) -> None:
        self.root = directory / "lib" / "modules" / release
        places = [(self.root / place).rglob("*.ko*") for place in reversed(_FIRST)]
        self._own = {
            _module_name(path.name): path
            for found in (*places, directory.glob("*.ko*"))
            for path in sorted(found)
            if _SUFFIX.search(path.name)
        }
        builtin = {
            _module_name(line.rpartition("/")[2])
            for line in _lines(self.root / "modules.builtin")
            if line.endswith(".ko")
        }
        self._files, self._builtin = self._own, (has | builtin) - self._own.keys()
        if beside is not None:
            other = ModuleTree(beside, release)
            self._files, self._builtin = other._own | self._own, self._builtin | other._builtin

    def holds(self, name: str) -> bool:
        """Whether the side itself has the file of a module, and not only the kernel beside it."""
        return name in self._own

    def loaded(self, wanted: Iterable[str]) -> tuple[Module, ...]:
        """Modules for lines like `null_blk nr_devices=1`, each after those it needs; or G265."""
        found: dict[str, Module] = {}
        for line in wanted:
            name, *parameters = line.split()
            self._load(_module_name(name), tuple(parameters), found, ())
        return tuple(found.values())

    def _load(
        self,
        name: str,
        parameters: tuple[str, ...],
        found: dict[str, Module],
        above: Sequence[str],
    ) -> None:
        if name in found or name in above or name in self._builtin:
            return
        path = self._files.get(name)
        if path is None:
            who = f", which {above[-1]} needs" if above else ""
            raise InputError(
                CODE,
                f"there is no module {name[:80]!r}{who}, and the kernel has none built in.",
                cure="Put its .ko into the side's directory, or name another module.",
                place=str(self.root),
            )
        content = _content(path)
        for need in filter(None, _modinfo(content, "depends").split(",")):
            self._load(_module_name(need), (), found, (*above, name))
        build_id = build_id_of(content)
        if not build_id:
            why = "the module has no build-id, so nothing proves that it is loaded"
            raise unbootable(path, why)
        found[name] = Module(name=name, parameters=parameters, content=content, build_id=build_id)


def loading(template: str, modules: Iterable[Module], **more: str) -> str:
    """The part of a guest's script that loads modules: the template for each of them."""
    return "".join(
        template.format(name=one.name, parameters=shlex.join(one.parameters), **more)
        for one in modules
    )


def _module_name(name: str) -> str:
    return _SUFFIX.sub("", name).replace("-", "_")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return unpack(file.read(_LARGEST))
    except (OSError, NotUnpacked) as error:
        message = f"the module cannot be read: {error}."
        raise InputError(CODE, message, cure="Build it anew.", place=str(path)) from error


def _modinfo(content: bytes, key: str) -> str:
    """A line of the module's own information: `depends=configfs`."""
    match = re.search(rb"\0" + key.encode() + rb"=([^\0]*)\0", content)
    return match[1].decode("ascii", "replace") if match else ""
