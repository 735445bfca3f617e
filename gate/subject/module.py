"""Sides that are kernel modules: loaded for each trial, proven, and unloaded after it.

A module that was loaded before is somebody's, and is refused rather than unloaded. What a side's
modules need beside them comes from this kernel's own, and goes again with them. Before the first is
loaded a journal says which: a gate that is killed leaves it, and whoever comes next unloads them.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.linux.kernel_modules import kernel_had_oops, loaded_module, loaded_names, loads_modules
from gate.model import Side
from gate.scratch import scratch_directory
from gate.subject.module_journal import SYSTEM, close, note, program
from gate.subject.switch import CommandFailed, NotActive
from gate.vm.modules import ModuleTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.linux.kernel_modules import LoadedModule
    from gate.model import Activation, Changes
    from gate.subject.command import ActiveSide
    from gate.subject.switch import Run
    from gate.vm.modules import Module

CODE = "G267"
_PATIENCE = 60.0
"""Seconds for loading or unloading one."""
_IN_USE, _STEP = 5.0, 0.05
"""Seconds for which one that is still in use is tried again, and between two tries."""


class Modules:
    """Loads the modules of a side, and unloads them."""

    held = False

    def __init__(self, subject: Activation, run: Run, state: Path) -> None:
        self._subject, self._run, self._state = subject, run, state
        self._read: dict[Side, tuple[Module, ...]] = {}
        self._named = {line.split()[0].replace("-", "_") for line in subject.modules}
        self._own: set[str] = set()
        """Modules that a side's directory holds: those that are named, and what they need of it."""
        self._up: list[tuple[Module, LoadedModule]] = []
        self._device = Path(subject.device) if subject.device else None

    def check(self, sides: Mapping[Side, ActiveSide], place: str) -> None:
        """Read the modules of every side, and refuse what cannot work, before anything is loaded.

        G265 where a side lacks a module, G267 where it cannot be loaded here.
        """
        for message, cure in self._obstacles(sides, place):
            raise InputError(CODE, message, cure=cure, place=place)

    def _obstacles(self, sides: Mapping[Side, ActiveSide], place: str) -> Iterator[tuple[str, str]]:
        """Why nothing can be loaded here, each with its cure; the modules are read on the way."""
        if os.geteuid() != 0:
            yield "only root may load modules.", "Run the gate as root."
        if not program("insmod"):
            yield "insmod is not installed.", "apt install kmod"
        if not loads_modules():
            cure = "Boot one that does, or gate it in a virtual machine: `gate boot`."
            yield "this kernel loads no modules.", cure
        for side in sides.values():
            self._read[side.side] = self._modules(side, place)
        for name in sorted(loaded_names() & self._own):
            message = f"the module {name} is loaded already, and is not ours to unload."
            yield message, f"Unload it if nobody needs it: modprobe -r {name}"
        if self._device is not None and self._device.exists():
            cure = "Find out what made it: the gate writes only to what its own module made."
            yield f"{self._device} is there before the module is loaded.", cure

    @property
    def changes(self) -> Changes | None:
        """What differs between the modules of both sides; None where there is one side alone."""
        if len(self._read) < len(Side):
            return None
        from gate.vm.changes import module_changes  # noqa: PLC0415 - for this kind alone

        return module_changes(self._read[Side.BASE], self._read[Side.HEAD])

    def activate(self, side: ActiveSide) -> str:
        """Load the side's modules, each proven by its build-id."""
        if kernel_had_oops():
            raise NotActive("the kernel had an oops: restart the machine before you go on")
        self._free()
        wanted = [one for one in self._read[side.side] if one.name not in loaded_names()]
        note(self._state, [(one.name, one.build_id) for one in wanted])
        for one in wanted:
            self._load(one)
        self._demand_loaded(side)
        if self._device is not None:
            self._await(self._device)
        ids = [f"{one.name} {one.build_id[:16]}" for one in wanted if one.name in self._own]
        return f"build-id of {', '.join(ids)}"

    def prove(self, side: ActiveSide) -> None:
        """The same modules, loaded once, in a kernel that had no oops."""
        self._demand_loaded(side)
        if kernel_had_oops():
            raise NotActive("the kernel had an oops while the module was loaded: see its log")

    def deactivate(self) -> None:
        """Unload what was loaded, the last first."""
        while self._up:
            module, _ = self._up[-1]
            self._unload(module.name)
            self._up.pop()
        close(self._state)

    def _free(self) -> None:
        taken = loaded_names() & self._own
        if taken:
            raise NotActive(f"the module {min(taken)} was loaded by somebody else meanwhile")
        if self._device is not None and self._device.exists():
            raise NotActive(f"{self._device} is there before the module is loaded")

    def _modules(self, side: ActiveSide, place: str) -> tuple[Module, ...]:
        if side.directory is None:
            name = side.side.value
            raise InputError(
                "G265",
                f"the {name} side has no directory, and so no module.",
                place=place,
                cure=f"Pass --{name} DIR with the .ko in it, or declare [side.{name}].",
            )
        has = loaded_names() - self._named
        tree = ModuleTree(side.directory, os.uname().release, beside=Path("/"), has=has)
        for name in sorted(self._named):
            if not tree.holds(name):  # the running kernel's own would clear any change
                raise InputError(
                    "G265",
                    f"the {side.side.value} side holds no module {name}.",
                    place=str(side.directory),
                    cure=f"Build it and put {name}.ko there, or name another side.",
                )
        found = tree.loaded(self._subject.modules)
        self._own |= {one.name for one in found if tree.holds(one.name)}
        return found

    def _load(self, module: Module) -> None:
        with scratch_directory("any") as scratch:
            # Closed before it is loaded: a kernel reads no file that is open for writing.
            file = Path(scratch) / f"{module.name}.ko"
            file.write_bytes(module.content)
            words = (*program("insmod"), str(file), *module.parameters)
            try:
                self._run(words, SYSTEM, _PATIENCE)
            except CommandFailed as failure:
                plain = failure.said.replace(str(file), file.name)
                raise NotActive(f"the module {module.name} does not load: {plain}") from None
        now = loaded_module(module.name)
        if now is None:
            raise NotActive(f"the module {module.name} was loaded, and is not there")
        self._up.append((module, now))

    def _demand_loaded(self, side: ActiveSide) -> None:
        for module, before in self._up:
            now = loaded_module(module.name)
            if now is None:
                raise NotActive(f"the module {module.name} is not loaded any more")
            if now.build_id != module.build_id:
                raise NotActive(
                    f"the module {module.name} that is loaded is not the {side.side.value} side's: "
                    f"build-id {now.build_id[:16] or 'none'}, not {module.build_id[:16]}"
                )
            if now != before:
                raise NotActive(f"the module {module.name} was loaded again by somebody else")

    def _await(self, device: Path) -> None:
        """A device node comes by udev or devtmpfs, a moment after its module."""
        until = time.monotonic() + _IN_USE
        while not device.is_block_device():
            if time.monotonic() > until:
                raise NotActive(f"the module is loaded, and there is no {device}")
            time.sleep(_STEP)

    def _unload(self, name: str) -> None:
        until = time.monotonic() + _IN_USE
        while True:
            try:
                self._run((*program("rmmod"), name), SYSTEM, _PATIENCE)
            except CommandFailed as failure:
                if name not in loaded_names():
                    return
                if time.monotonic() > until:
                    why = f"the module {name} cannot be unloaded: {failure.said}"
                    raise NotActive(why) from None
            else:
                return
            time.sleep(_STEP)  # udev may still look at its device
