"""How a side of the subject becomes what the trials run on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SubjectKind(StrEnum):
    """What kind of thing is under test."""

    COMMAND = "command"
    """A directory or an environment: nothing to activate."""
    MODULE = "module"
    """Kernel modules, loaded for each trial and unloaded after it."""
    KERNEL = "kernel"
    """A kernel, booted in a virtual machine for each trial."""
    CUSTOM = "custom"
    """Whatever the user's own commands activate and prove."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The virtual machine that a kernel is booted in."""

    memory: int = 2048
    """MiB."""
    cpus: int = 1
    command_line: str = ""
    """Added to the kernel's own."""
    disks: tuple[str, ...] = ()
    """Empty throw-away disks, bus and bytes: `nvme:536870912`."""
    trials: int = 3
    """Trials in a row inside one boot, whose median is what the boot gave."""
    accelerator: str = "auto"
    """`kvm`, `tcg`, or `auto`: KVM where a probe boot proves it usable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """`[subject]` of a profile."""

    kind: SubjectKind = SubjectKind.COMMAND
    modules: tuple[str, ...] = ()
    """module, kernel: loaded in this order, each with its parameters: `null_blk nr_devices=1`."""
    device: str = ""
    """module: the device in memory that loading them makes, which a fio job may then open."""
    activate: str = ""
    """custom: a shell command that makes the side the active one; `{side}` is expanded."""
    prove: str = ""
    """custom: a shell command that ends with 0 only if the side is active, and prints by what."""
    deactivate: str = ""
    """custom: a shell command that puts everything back."""
    timeout: float = 300.0
    """custom: seconds that each of them may take."""
    machine: Machine | None = None
    """kernel: the machine."""
