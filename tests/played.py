"""A small recorded machine for tests of the command line: facts that can be moved one by one.

with playing({NVME_FIRMWARE: "B2"}):      # this machine, with another firmware in its drive
    project.gate("check", "p")
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from recorded_machine import RecordedMachine

from gate.host.identity import identity
from gate.linux import machine as real

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DISK = "/sys/devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/nvme0n1"
_BOOT = "/proc/sys/kernel/random/boot_id"
CPUINFO = "/proc/cpuinfo"
KERNEL = "/proc/sys/kernel/osrelease"
COMMAND_LINE = "/proc/cmdline"
GOVERNOR = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
SPECTRE = "/sys/devices/system/cpu/vulnerabilities/spectre_v2"
SCHEDULER = f"{_DISK}/queue/scheduler"
FIRMWARE = "/sys/devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/firmware_rev"
_NVME = FIRMWARE.rpartition("/")[0]


def cpuinfo(microcode: str = "0x2b000571", model: str = "Gold 6430", mhz: str = "2100.000") -> str:
    """Two processors of a model, with their microcode."""
    rows = [
        f"processor\t: {number}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
        f"model name\t: Intel(R) Xeon(R) {model}\nstepping\t: 8\nmicrocode\t: {microcode}\n"
        f"cpu MHz\t\t: {mhz}\nbogomips\t: 4200.00\nflags\t\t: fpu sse2\n"
        for number in range(2)
    ]
    return "\n".join(rows)


_FILES = {
    _BOOT: Path(_BOOT).read_text(encoding="ascii"),
    CPUINFO: cpuinfo(),
    KERNEL: "6.8.0-45-generic\n",
    COMMAND_LINE: "BOOT_IMAGE=/boot/vmlinuz root=UUID=1 ro quiet mitigations=auto isolcpus=1\n",
    "/proc/meminfo": "MemTotal:       65000000 kB\n",
    "/proc/self/mountinfo": "29 1 259:1 / / rw,relatime - ext4 /dev/nvme0n1p1 rw\n",
    "/proc/swaps": "Filename Type Size Used Priority\n",
    "/sys/devices/system/cpu/present": "0-1\n",
    "/sys/devices/system/cpu/online": "0-1\n",
    GOVERNOR: "performance\n",
    SPECTRE: "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional\n",
    FIRMWARE: "7.2.1\n",
    f"{_NVME}/model": "SAMSUNG MZQL21T9HCJR-00A07\n",
    f"{_NVME}/serial": "S64GNE0R000000\n",
    f"{_DISK}/size": "3750748848\n",
    f"{_DISK}/queue/logical_block_size": "512\n",
    f"{_DISK}/queue/physical_block_size": "4096\n",
    f"{_DISK}/queue/rotational": "0\n",
    f"{_DISK}/queue/write_cache": "write through\n",
    SCHEDULER: "[none] mq-deadline\n",
    f"{_DISK}/nvme0n1p1/partition": "1\n",
}
_LINKS = {
    "/sys/dev/block/259:1": f"{_DISK}/nvme0n1p1",
    f"{_DISK}/device": _NVME,
    "/sys/class/block/nvme0n1": _DISK,
}


def machine(changes: Mapping[str, str] | None = None) -> RecordedMachine:
    """The machine, some of its files with another text."""
    return RecordedMachine({"files": {**_FILES, **(changes or {})}, "links": _LINKS})


def is_playing() -> bool:
    """Whether a machine is played already."""
    return identity.ThisMachine is not real.ThisMachine


@contextlib.contextmanager
def playing(changes: Mapping[str, str] | None = None) -> Iterator[None]:
    """Every reader of facts sees that machine."""
    played = machine(changes)
    with (
        mock.patch.object(identity, "ThisMachine", return_value=played),
    ):
        yield
