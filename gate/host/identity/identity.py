"""Who this machine is: stable facts that must agree, epoch facts that explain, facts of the moment.

What is absent is `unknown`, shown as such and compared as such. Live values (MHz, load,
temperature, wear) are never compared; names (hostname, serial numbers, addresses) are never read.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

from gate.host.identity.facts import short, system_facts
from gate.host.identity.facts_cpu import cpu_facts
from gate.host.identity.facts_disk import disk_epoch, disk_facts
from gate.host.identity.facts_epoch import system_epoch
from gate.host.identity.facts_live import live_facts
from gate.linux.block import storage_of, storage_on
from gate.linux.machine import MachineRecorder, ThisMachine, line
from gate.model import UNKNOWN, Host

if TYPE_CHECKING:
    from pathlib import Path

    from gate.linux.machine import LinuxMachine


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
    machine = (
        machine
        if isinstance(machine, MachineRecorder)
        else MachineRecorder(machine or ThisMachine())
    )
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
    return line(machine or ThisMachine(), "/proc/sys/kernel/random/boot_id")


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
    return "-".join((_where(stable), slug, _slug(threads), _slug(memory)))


def _where(stable: dict[str, str]) -> str:
    """Bare metal, virtual machine, container; `hw` where the machine does not tell."""
    if stable.get("container", "none") not in {"none", UNKNOWN}:
        return "ct"
    virtual = stable["virtualisation"]
    return {"none": "bm", UNKNOWN: "hw"}.get(virtual, "vm")


def _slug(fact: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", fact.lower()).strip("-.")[:15].strip("-.") or UNKNOWN
