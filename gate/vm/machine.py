"""QEMU as the machine of a guest: by KVM or emulated, with disks, or for counting instructions.

Emulated, its clock goes on by a fixed time for each instruction (`icount`), so that how long
something takes in it, and how often its timer interrupts, does not depend on how loaded the machine
around it is. With a seed its random numbers are the same in each boot that is given the same seed.

Whether KVM runs a kernel here is found by a boot of that kernel, and by nothing else: under nested
or partly emulated virtualisation a kernel may die in an instruction that the hypervisor does not
know, or hang, although /dev/kvm opens.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.formats.disk import write_text
from gate.linux.machine import ThisMachine, read_boot_id
from gate.model import DEVICE_DISK, Machine
from gate.scratch import scratch_directory
from gate.vm.archive import Archive
from gate.vm.plugin import kept_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.model import Guest

PROGRAM = "qemu-system-x86_64"
OLDEST = (8, 2)
"""The oldest that the tests have booted; its plugins count in line (plugin API 1)."""
VERSION = re.compile(r"QEMU emulator version ((\d+)\.(\d+)\S*)")
_SHIFT = 3
"""Each instruction takes 2 to the power of this in nanoseconds."""
_KERNEL = (
    *("console=ttyS0", "panic=-1", "oops=panic", "softlockup_panic=1", "nokaslr", "norandmaps"),
    *("loglevel=5", "net.ifnames=0"),
)
DEVICE = Path("/dev/kvm")
_SAID = "driftgate: KVM works"
_INIT = f"""#!/bin/busybox sh
echo "{_SAID}"
/bin/busybox poweroff -f
"""
_PATIENCE = 30.0
"""Seconds in which a kernel must come up: under KVM a second or two."""
_MEMORY = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestBoot:
    """One boot of a guest; paths are absolute."""

    kernel: Path
    archive: Path
    """The first file system."""
    directory: Path
    """Empty; it gets `console`, and of each kind of boot its disks, or `answers` and `counts`."""
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineBoot(GuestBoot):
    """One boot of a machine with this machine's root."""

    machine: Machine
    share: Path | None
    """The directory that both see; absent for a probe, which has no root either."""
    kvm: bool
    out: Path | None = None
    """A directory of this machine whose files the guest may write, where it stands here."""
    device: str = ""
    """The block device behind the disk that says so; the guest writes to it past our caches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingBoot(GuestBoot):
    """One boot of a machine whose instructions are counted; its kernel is an ELF file."""

    machine: Guest
    plugin: Path


def machine_command(boot: MachineBoot) -> tuple[str, ...]:
    """The words that boot it; it ends when the guest powers off, panics or reboots."""
    accelerator: tuple[str, ...] = ("-accel", "kvm", "-cpu", "host")
    words: tuple[str, ...] = ()
    if not boot.kvm:
        accelerator = (
            *("-accel", "tcg,thread=single", "-cpu", "max"),
            *("-icount", f"shift={_SHIFT},sleep=on"),
        )
        words = ("driftgate.clock=instructions",)  # so that a gate inside knows its clock
    shared = _words(boot, boot.machine, boot.machine.cpus, *words)
    return (*shared, *accelerator, *_shared(boot), *_disks(boot))


def _words(boot: GuestBoot, machine: Machine | Guest, cpus: int, *kernel: str) -> Iterator[str]:
    """What both kinds share; the machine dies with the process that started it."""
    yield from ("setpriv", "--pdeathsig", "KILL", "--", PROGRAM)
    yield from ("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot")
    yield from ("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny")
    yield from ("-machine", "pc", "-smp", str(cpus), "-m", str(machine.memory))
    yield from ("-seed", str(boot.seed))
    yield from ("-kernel", str(boot.kernel), "-initrd", str(boot.archive))
    yield from ("-append", " ".join((*_KERNEL, *kernel, *machine.command_line.split())))
    yield from ("-chardev", f"file,id=console,path={option(boot.directory / 'console')}")
    yield from ("-serial", "chardev:console")


def make_disks(boot: MachineBoot) -> None:
    """Make the files of its throw-away disks: sparse, empty."""
    for number, disk in enumerate(boot.machine.disks):
        if not disk.endswith(DEVICE_DISK):
            with (boot.directory / f"disk{number}").open("wb") as file:
                file.truncate(int(disk.partition(":")[2]))


def _shared(boot: MachineBoot) -> Iterator[str]:
    if boot.share is None:
        return
    readonly = ",readonly=on,multidevs=remap"
    shared = [("host", Path("/"), readonly), ("share", boot.share, "")]
    shared += [("out", boot.out, "")] if boot.out is not None else []
    for name, path, more in shared:
        yield from ("-fsdev", f"local,id={name},path={option(path)},security_model=none{more}")
        yield from ("-device", f"virtio-9p-pci,fsdev={name},mount_tag={name}")


def _disks(boot: MachineBoot) -> Iterator[str]:
    for number, disk in enumerate(boot.machine.disks):
        bus, file = disk.partition(":")[0], boot.directory / f"disk{number}"
        device, more = "nvme" if bus == "nvme" else "virtio-blk-pci", "discard=unmap"
        if disk.endswith(DEVICE_DISK):
            file, more = Path(boot.device), "discard=unmap,cache=none"
        yield from ("-drive", f"if=none,id=d{number},file={option(file)},format=raw,{more}")
        yield from ("-device", f"{device},drive=d{number},serial=GATE{number}")


def counting_command(boot: CountingBoot) -> tuple[str, ...]:
    """The words that boot it; it ends when the guest powers off, panics or reboots."""
    return (
        *_words(boot, boot.machine, 1),
        *("-cpu", "max", "-accel", "tcg,thread=single", "-icount", f"shift={_SHIFT},sleep=off"),
        *("-rtc", "base=2026-01-01,clock=vm"),
        *("-chardev", f"file,id=answers,path={option(boot.directory / 'answers')}"),
        *("-serial", "chardev:answers"),
        *("-plugin", f"{option(boot.plugin)},counts={option(boot.directory / 'counts')}"),
    )


def option(path: Path) -> str:
    """A path inside an option of QEMU, where a comma ends it and two stand for one."""
    return str(path).replace(",", ",,")


def why_not_kvm(accelerator: str, kernel: bytes, environment: Mapping[str, str]) -> str:
    """Why KVM is not used for this kernel; empty where it is asked for, or a probe boot worked.

    `accelerator` is `kvm`, `tcg`, or `auto` for whatever the probe says; `kernel` is an image that
    QEMU takes.
    """
    if accelerator != "auto":
        return "" if accelerator == "kvm" else "asked for"
    if not os.access(DEVICE, os.R_OK | os.W_OK):
        return f"there is no {DEVICE} that may be used"
    # What a probe said holds for this kernel until this machine boots again.
    boot = read_boot_id(ThisMachine())
    known = hashlib.sha256(boot.encode() + kernel).hexdigest()[:16]
    kept = kept_directory() / f"kvm-{known}"
    try:
        return kept.read_text("utf-8")
    except OSError:
        why = _probed(kernel, environment.get("PATH", ""))
        write_text(kept, why)  # in one step: half of it would mean that KVM works
        return why


def _probed(kernel: bytes, path: str) -> str:
    archive = Archive()
    archive.add_program("busybox", {"PATH": path})
    archive.add("init", _INIT.encode(), runs=True)
    with scratch_directory("kvm") as name:
        place = Path(name)
        (place / "archive").write_bytes(archive.content())
        (place / "kernel").write_bytes(kernel)
        boot = MachineBoot(
            kernel=place / "kernel",
            archive=place / "archive",
            directory=place,
            machine=Machine(memory=_MEMORY),
            share=None,
            kvm=True,
            seed=1,
        )
        try:
            subprocess.run(
                machine_command(boot),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            took = isinstance(error, subprocess.TimeoutExpired)
            return "a probe boot under it hung" if took else f"QEMU does not start: {error}"
        works = False
        with suppress(OSError):
            works = _SAID in (place / "console").read_text("utf-8", "replace")
    return "" if works else "a probe boot under it failed"
