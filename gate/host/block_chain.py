"""What a block device is part of: partitions, device-mapper, md, loops, up and down, by /sys.

Names are the kernel's (`sda`, `nvme0n1p2`, `dm-0`). What stands above a device is lost when the
device is written; what stands below it is written with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.host.machine import line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.host.machine import Machine

CLASS = "/sys/class/block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One device and everything that it stands on or carries."""

    name: str
    above: tuple[str, ...]
    """Partitions, holders and loops on it, and what is on those; nearest first."""
    below: tuple[str, ...]
    """What it is made of, down to the disks; nearest first. A loop's own file ends the chain."""

    @property
    def lost(self) -> tuple[str, ...]:
        """Everything whose content a write to the device changes."""
        return (self.name, *self.above)


def chain(machine: Machine, name: str) -> Chain:
    """Walk from one device up and down."""
    return Chain(
        name=name,
        above=_closure(name, lambda one: above(machine, one)),
        below=_closure(name, lambda one: below(machine, one)),
    )


def _closure(name: str, step: Callable[[str], Iterator[str]]) -> tuple[str, ...]:
    """Everything that is reached, once each, also where the answers go round in a circle."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for one in step(waiting.pop(0)):
            if one != name and one not in found:
                found[one] = None
                waiting.append(one)
    return tuple(found)


def above(machine: Machine, name: str) -> Iterator[str]:
    """Partitions of a device, devices made of it, and loops that show it."""
    yield from partitions(machine, name)
    yield from machine.names(f"{CLASS}/{name}/holders")
    for loop, file in backing_files(machine):
        if file and name_of_path(machine, file) == name:
            yield loop


def below(machine: Machine, name: str) -> Iterator[str]:
    """The disk of a partition, the members of a made-up device, the device that a loop shows."""
    if line(machine, f"{CLASS}/{name}/partition"):
        disk = machine.real(f"{CLASS}/{name}").rpartition("/")[0].rpartition("/")[2]
        if disk:
            yield disk
    yield from machine.names(f"{CLASS}/{name}/slaves")
    if file := line(machine, f"{CLASS}/{name}/loop/backing_file"):
        shown = name_of_path(machine, file)
        if shown:
            yield shown


def partitions(machine: Machine, name: str) -> tuple[str, ...]:
    """Partitions of a disk that the kernel knows."""
    return tuple(
        one
        for one in machine.names(f"{CLASS}/{name}")
        if one.startswith(name) and line(machine, f"{CLASS}/{name}/{one}/partition")
    )


def backing_files(machine: Machine) -> Iterator[tuple[str, str]]:
    """Loops that are set up, each with the file or device that it shows."""
    for one in machine.names(CLASS):
        if one.startswith("loop"):
            file = line(machine, f"{CLASS}/{one}/loop/backing_file")
            if file:
                yield one, file


def number_of(machine: Machine, name: str) -> str:
    """`major:minor` of a device; empty where the kernel knows none of that name."""
    return line(machine, f"{CLASS}/{name}/dev")


def name_of_number(machine: Machine, number: str) -> str:
    """The kernel's name of `major:minor`; empty where there is none."""
    return machine.real(f"/sys/dev/block/{number}").rpartition("/")[2]


def name_of_path(machine: Machine, path: str) -> str:
    """The kernel's name of what a path such as `/dev/mapper/data` leads to; empty for a file."""
    real = machine.real(path)
    if not real.startswith("/dev/"):
        return ""
    # The kernel writes cciss/c0d0 as cciss!c0d0 in /sys.
    name = real.removeprefix("/dev/").replace("/", "!")
    return name if number_of(machine, name) else ""
