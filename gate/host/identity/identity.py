"""Which machine and which kernel this is.

Stable facts must agree, epoch facts explain, facts of the moment are shown. The kernel says its
build, what it was booted with, and how it was configured; one that was booted in an emulated
machine has a clock that counts instructions.

What is absent is `unknown`, shown as such and compared as such. Live values (MHz, load,
temperature, wear) are never compared; names (hostname, serial numbers, addresses) are never read.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from typing import TYPE_CHECKING

from gate.host.identity.facts import cpu_facts, short, system_facts
from gate.host.identity.facts_disk import disk_epoch, disk_facts
from gate.host.identity.facts_epoch import COMMAND_LINE, normal_command_line, system_epoch
from gate.host.identity.facts_live import live_facts
from gate.linux.block import storage_of, storage_on
from gate.linux.kernel_modules import build_id_in
from gate.linux.machine import MachineRecorder, ThisMachine, line, read_boot_id
from gate.model import BY_INSTRUCTIONS, CLOCK, UNKNOWN, Host, Kernel
from gate.model.kernel_config import options_in, public_options
from gate.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from gate.linux.machine import LinuxMachine, RawMachine

RELEASE = "/proc/sys/kernel/osrelease"
VERSION = "/proc/sys/kernel/version"
NOTES = "/sys/kernel/notes"
CONFIG = "/proc/config.gz"
"""There where the kernel was built to show it, and its module `configs` is loaded."""
_LARGEST_CONFIG = 4 << 20
"""Bytes; a distribution's is 300 kB."""
_LONGEST_LINE = 2000
"""Characters of a command line that are kept."""
_GZIP = 31
"""What zlib calls a stream with gzip's own head."""
EMULATED = "driftgate.clock=instructions"
"""Among the words that a kernel was booted with whose machine is emulated."""


def read_host(
    work: Path,
    *,
    machine: LinuxMachine | None = None,
    host_class: str | None = None,
    tuned: tuple[str, ...] = (),
    device: str = "",
    filesystem: str = "",
    live: bool = True,
) -> Host:
    """The facts of a machine, by default this one; `work` decides which disks count.

    Where a `device` is measured itself, its real path decides instead, and `filesystem` is the
    kind that is made on it (none: raw). Without `live` no program is asked.

    `host_class` names the class; by default it is made from the facts. `tuned` are the settings
    that the gate changed for the measurement: they explain numbers as much as any other.
    """
    # Each file is read once: what two facts say of it cannot contradict each other.
    if not isinstance(machine, MachineRecorder):
        machine = MachineRecorder(machine or ThisMachine())
    storage = storage_on(machine, device, filesystem) if device else storage_of(machine, work)
    stable = {**cpu_facts(machine), **system_facts(machine), **disk_facts(machine, storage)}
    text = json.dumps(stable, sort_keys=True)
    return Host(
        host_class=host_class or class_name(stable),
        fingerprint="sha256:" + hashlib.sha256(text.encode()).hexdigest(),
        stable=stable,
        epoch={
            **system_epoch(machine),
            **disk_epoch(machine, storage),
            "tuned": short(", ".join(tuned)) if tuned else "nothing",
        },
        live=live_facts(machine, storage) if live else {},
    )


def boot_id(machine: LinuxMachine | None = None) -> str:
    """The kernel's id of this boot; empty when unknown."""
    return read_boot_id(machine or ThisMachine())


def class_name(stable: dict[str, str]) -> str:
    """A file name for machines with these facts: `vm-amd-epyc-2t-24g`.

    A processor that gives only numbers goes by the name of the board, where that has one.
    """
    model = re.split(r" \(family| variant | 0x(?=.*/)", stable["cpu_model"])[0]
    system = stable.get("system", UNKNOWN)
    if re.match(r"Arm 0x|RISC-V", model):
        model = model.replace(" part", "") if system == UNKNOWN else system
    plain = re.sub(r"\((r|tm)\)|cpu|processor|@.*", " ", model.lower())
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or UNKNOWN
    threads = stable["cpu_threads"]
    threads = threads if threads == UNKNOWN else f"{threads}t"
    memory = stable["memory"].replace(" GiB", "g")
    # Bare metal, virtual machine, or container; `hw` where the machine does not say.
    where = {"none": "bm", UNKNOWN: "hw"}.get(stable["virtualisation"], "vm")
    contained = stable.get("container", "none") not in {"none", UNKNOWN}
    return "-".join(("ct" if contained else where, slug, _slug(threads), _slug(memory)))


def _slug(fact: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", fact.lower()).strip("-.")[:15].strip("-.") or UNKNOWN


def read_kernel(machine: RawMachine | None = None) -> Kernel | None:
    """What the kernel of this machine says of itself; None where it does not say its release.

    What names one machine or a person, or may be a secret, is left out of its words and options.
    Only out of files that everybody may read. It takes some milliseconds.
    """
    machine = machine or ThisMachine()
    release = line(machine, RELEASE)
    if not release:
        return None
    return Kernel(
        release=short(release),
        version=short(line(machine, VERSION)),
        build_id=build_id_in(machine.data(NOTES)),
        command_line=printable(normal_command_line(machine.text(COMMAND_LINE)))[:_LONGEST_LINE],
        config=public_options(options_in(_config(machine, release).splitlines())),
    )


def _config(machine: RawMachine, release: str) -> str:
    """The configuration's text, from the kernel itself or else from beside its image."""
    try:
        packed = zlib.decompressobj(_GZIP).decompress(machine.data(CONFIG), _LARGEST_CONFIG)
    except zlib.error:
        packed = b""
    if packed or "/" in release:
        return packed.decode("utf-8", "replace")
    return machine.text(f"/boot/config-{release}")


def guest_clock() -> dict[str, str]:
    """What an emulated machine has for a clock, among the tools of a session; empty elsewhere."""
    emulated = EMULATED in ThisMachine().text(COMMAND_LINE).split()
    return {CLOCK: BY_INSTRUCTIONS} if emulated else {}


def guest_notes() -> tuple[str, ...]:
    """What a reader must know of everything that is measured on it."""
    if not guest_clock():
        return ()
    return ("measured in an emulated machine: its time is 8 ns for each instruction, not time",)
