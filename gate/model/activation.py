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
    """The virtual machine that a kernel is booted in."""

    memory: int = 2048
    """MiB."""
    cpus: int = 1
    command_line: str = ""
    """Added to the kernel's own."""
    disks: tuple[str, ...] = ()
    """Empty throw-away disks, bus and bytes: `nvme:536870912`; `nvme:device` is the device of the
    profile's `[storage]`."""
    trials: int = 3
    """Trials in a row inside one boot, whose median is what the boot gave."""
    accelerator: str = "auto"
    """`kvm`, `tcg`, or `auto`: KVM where a probe boot proves it usable."""


class OneShot(StrEnum):
    """What makes the next start of this machine, and no other, one of a side's kernel."""

    GRUB = "grub"
    SYSTEMD_BOOT = "systemd-boot"
    EFI = "efi"
    KEXEC = "kexec"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metal:
    """How this very machine is restarted into a side's kernel, once."""

    by: OneShot
    base: str = ""
    """grub, systemd-boot, efi: the boot entry of the base side."""
    head: str = ""
    """Likewise of the head side."""
    once: str = ""
    """command: a shell command that arms the next start; `{side}` is the side's directory."""
    restart: str = ""
    """A shell command that restarts the machine; `systemctl reboot` or `kexec` if empty."""
    initrd: str = ""
    """kexec: the first file system, with `{side}` for the side's directory."""
    command_line: str = ""
    """kexec: the kernel's command line; empty for that of the kernel that was there first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """`[subject]` of a profile."""

    kind: SubjectKind = SubjectKind.COMMAND
    modules: tuple[str, ...] = ()
    """module, kernel: loaded in this order, each with its parameters: `null_blk nr_devices=1`."""
    untouched: Untouched = Untouched.NOTE
    """module, kernel: what becomes of a pass whose trials called no changed function."""
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
    """kernel: the virtual machine that it is booted in; absent where it is this machine."""
    metal: Metal | None = None
    """kernel: how this machine itself is restarted into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """A guest's machine and its surroundings; the kernel is the side's."""

    modules: tuple[str, ...] = ()
    """Loaded in this order, each with what it needs before it: `null_blk nr_devices=1`."""
    programs: tuple[str, ...] = ()
    """Programs of this machine that stand in the guest, beside busybox."""
    prepare: str = ""
    """A shell command in the guest before everything else, not counted."""
    memory: int = 512
    """MiB."""
    command_line: str = ""
    """Added to the kernel's own."""
    operations: tuple[int, int] = (1, 2)
    """What `{operations}` stands for in the short and in the long run."""
    untouched: Untouched = Untouched.NOTE
    """What becomes of a pass whose trials executed nothing of what was changed."""
