"""One-shot boot entries: the next start of this machine, and no other, is one of a side's kernel.

Whatever happens to that start, the one after it is the machine's own again: GRUB, the firmware and
systemd-boot clear the entry before they follow it, and a kernel that kexec loaded is in memory
alone. What is armed is read back before anybody restarts.
"""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import MeasureError
from gate.linux.machine import ThisMachine, line
from gate.linux.shell import sh_words
from gate.model import OneShot, Side
from gate.subject.module_journal import SYSTEM, run_program
from gate.subject.switch import CommandFailed

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Metal
    from gate.subject.boots import RunningKernel

_LOADED = "/sys/kernel/kexec_loaded"
_ONE_SHOT = "/sys/firmware/efi/efivars/LoaderEntryOneShot-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
_PATIENCE = 120.0
_PANIC = "panic=30"
"""After a panic the machine restarts by itself, and comes back with its own kernel."""
_OWN = ("BOOT_IMAGE=", "initrd=", "panic=")


class BootTarget(NamedTuple):
    """What the next start is to be."""

    side: Side
    directory: Path
    image: Path


def arm(metal: Metal, target: BootTarget, first: RunningKernel) -> None:
    """Make the next start one of the target's kernel, and make sure that it will be.

    `first` is the kernel that was there before all: its command line is the machine's own.

    Raises:
        MeasureError: G269, that is not possible here.
    """
    entry = metal.base if target.side is Side.BASE else metal.head
    match metal.by:
        case OneShot.GRUB:
            _do(_either("grub-reboot"), entry)
            who, wanted = "GRUB", f"next_entry={entry}"
            is_armed = wanted in _grub_environment()
        case OneShot.SYSTEMD_BOOT:
            _do("bootctl", "set-oneshot", entry)
            who, wanted = "the firmware", f"LoaderEntryOneShot {entry}"
            # Behind four bytes of attributes.
            text = ThisMachine().data(_ONE_SHOT)[4:].decode("utf-16-le", "replace")
            is_armed = text.rstrip("\0") == entry
        case OneShot.EFI:
            _do("efibootmgr", "--bootnext", entry)
            who, wanted = "the firmware", f"BootNext: {entry.upper()}"
            is_armed = wanted in _do("efibootmgr").splitlines()
        case OneShot.KEXEC:
            _do("kexec", "--load", *_kexec_words(metal, target, first))
            who, wanted = "the kernel", "a loaded kernel"
            is_armed = line(ThisMachine(), _LOADED) == "1"
        case OneShot.COMMAND:
            text = metal.once.replace("{side}", shlex.quote(str(target.directory)))
            _do(*sh_words(text, SYSTEM))
            return
    if not is_armed:
        raise _refused(f"{who} does not show {wanted} after it was set")


def check_disarmed(metal: Metal) -> str:
    """After a start: what to report if the entry is still there, which it must not be.

    GRUB cannot write where its environment lies on LVM, RAID or btrfs: then a kernel that does not
    come up would be tried for ever. It is cleared here, as far as that goes.
    """
    if metal.by is not OneShot.GRUB:
        return ""
    try:
        left = [one for one in _grub_environment() if one.partition("=")[0] == "next_entry"]
        if not left or left == ["next_entry="]:
            return ""
        _do(_either("grub-editenv"), "-", "unset", "next_entry")
    except MeasureError as error:
        return error.message
    return (
        "GRUB did not clear its one-shot entry, so that a kernel which does not come up would be "
        "tried for ever: its environment must lie on a plain partition"
    )


def restart(metal: Metal) -> None:
    """Restart now, or G269: returns before the machine goes down."""
    if metal.by is OneShot.KEXEC and not metal.restart:
        _do("systemctl", "kexec")
    else:
        restart_plainly(metal.restart)


def restart_plainly(command: str) -> None:
    """Restart, or G269, into whatever the machine starts by itself: by a command, or systemctl."""
    _do(*(sh_words(command, SYSTEM) if command else ("systemctl", "reboot")))


def _kexec_words(metal: Metal, target: BootTarget, first: RunningKernel) -> list[str]:
    own = [word for word in first.command_line.split() if not word.startswith(_OWN)]
    line = metal.command_line or " ".join(own)
    if not any(word.startswith("panic=") for word in line.split()):
        line = f"{line} {_PANIC}".strip()
    words = ["--kexec-syscall-auto", f"--command-line={line}"]
    if metal.initrd:
        words.append(f"--initrd={metal.initrd.replace('{side}', str(target.directory))}")
    return [*words, str(target.image)]


def _grub_environment() -> list[str]:
    return _do(_either("grub-editenv"), "-", "list").splitlines()


def _either(name: str) -> str:
    """Some distributions call what is GRUB's `grub2-...`."""
    other = name.replace("grub-", "grub2-")
    path = SYSTEM["PATH"]
    return other if shutil.which(other, path=path) and not shutil.which(name, path=path) else name


def _do(*words: str) -> str:
    try:
        return run_program(*words, patience=_PATIENCE)
    except CommandFailed as failure:
        raise _refused(str(failure)) from failure


def _refused(why: str) -> MeasureError:
    return MeasureError(
        "G269",
        f"this machine cannot be restarted so: {why}.",
        cure="See `by` and `restart` of [subject] metal, and what they need.",
    )
