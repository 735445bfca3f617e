"""The two sides of a subject, how one is activated, and the machines that are booted for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gate.model.patch_coverage import Untouched


class Side(StrEnum):
    """The two sides of a subject."""

    BASE = "base"
    HEAD = "head"


class SubjectKind(StrEnum):
    """What kind of thing is under test."""

    COMMAND = "command"
    """A directory or an environment: nothing to activate."""
    MODULE = "module"
    """Kernel modules, loaded for each trial and unloaded after it."""
    KERNEL = "kernel"
    """A kernel, booted for each trial: in a virtual machine, or on this one."""
    CUSTOM = "custom"
    """Whatever the user's own commands activate and prove."""


DEVICE_DISK = ":device"
"""Ends the word for a disk behind which is the device that the owner gave to the gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The virtual machine that a kernel is booted in; its form says what each key means."""

    memory: int = 2048
    """MiB."""
    cpus: int = 1
    command_line: str = ""
    disks: tuple[str, ...] = ()
    """Bus and bytes, `nvme:536870912`; or `nvme:device`."""
    trials: int = 3
    accelerator: str = "auto"


class OneShot(StrEnum):
    """What makes the next start of this machine, and no other, one of a side's kernel."""

    GRUB = "grub"
    SYSTEMD_BOOT = "systemd-boot"
    EFI = "efi"
    KEXEC = "kexec"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metal:
    """How this very machine is restarted into a side's kernel, once; as the form of `metal` says.

    What is empty was left out.
    """

    by: OneShot
    base: str = ""
    head: str = ""
    once: str = ""
    restart: str = ""
    initrd: str = ""
    command_line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """`[subject]` of a profile; its form says what each key means, and for which kind."""

    kind: SubjectKind = SubjectKind.COMMAND
    modules: tuple[str, ...] = ()
    untouched: Untouched = Untouched.NOTE
    device: str = ""
    activate: str = ""
    prove: str = ""
    deactivate: str = ""
    timeout: float = 300.0
    """Seconds."""
    machine: Machine | None = None
    """Of a kernel, absent where it is this machine that is restarted."""
    metal: Metal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """`[guest]` of a profile, the kernel being the side's; its form says what each key means."""

    modules: tuple[str, ...] = ()
    """Each is loaded after what it needs."""
    programs: tuple[str, ...] = ()
    prepare: str = ""
    memory: int = 512
    """MiB."""
    command_line: str = ""
    operations: tuple[int, int] = (1, 2)
    untouched: Untouched = Untouched.NOTE
