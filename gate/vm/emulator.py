"""QEMU as the machine of a guest: all of it emulated, its clock driven by instructions.

With `icount` a guest's clock goes on by a fixed time for each instruction, so that the number of
its timer interrupts does not depend on how fast, or how loaded, the machine around it is; with a
seed its random numbers are the same in each boot that is given the same seed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "qemu-system-x86_64"
OLDEST = (8, 2)
"""The oldest that the tests have booted; its plugins count in line (plugin API 1)."""
VERSION = re.compile(r"QEMU emulator version ((\d+)\.(\d+)\S*)")
SHIFT = 3
"""Each instruction takes 2 to the power of this in nanoseconds."""
KERNEL = (
    *("console=ttyS0", "panic=-1", "oops=panic", "softlockup_panic=1", "nokaslr", "norandmaps"),
    *("loglevel=5", "net.ifnames=0"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """One boot of a machine; paths are absolute."""

    kernel: Path
    """An ELF file."""
    archive: Path
    """The first file system."""
    plugin: Path
    directory: Path
    """Empty; it gets `console`, `answers` and `counts`."""
    seed: int
    memory: int
    """MiB."""
    command_line: str = ""
    """Added to the kernel's own."""


def command(boot: Boot) -> tuple[str, ...]:
    """The words that boot it; it ends when the guest powers off, panics or reboots.

    It dies with the process that started it, also with one that is killed.
    """
    return (
        *("setpriv", "--pdeathsig", "KILL", "--", PROGRAM),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny"),
        *("-machine", "pc", "-cpu", "max", "-smp", "1", "-m", str(boot.memory)),
        *("-accel", "tcg,thread=single", "-icount", f"shift={SHIFT},sleep=off"),
        *("-seed", str(boot.seed), "-rtc", "base=2026-01-01,clock=vm"),
        *("-kernel", str(boot.kernel), "-initrd", str(boot.archive)),
        *("-append", " ".join((*KERNEL, *boot.command_line.split()))),
        *("-chardev", f"file,id=console,path={option(boot.directory / 'console')}"),
        *("-serial", "chardev:console"),
        *("-chardev", f"file,id=answers,path={option(boot.directory / 'answers')}"),
        *("-serial", "chardev:answers"),
        *("-plugin", f"{option(boot.plugin)},counts={option(boot.directory / 'counts')}"),
    )


def option(path: Path) -> str:
    """A path inside an option of QEMU, where a comma ends it and two stand for one."""
    return str(path).replace(",", ",,")
