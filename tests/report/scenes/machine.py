"""The machine that all scenes are measured on, as the gate's own fact finding tells it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model import Host, Kernel

if TYPE_CHECKING:
    import random

STABLE = {
    "architecture": "x86_64",
    "cpu_model": "AMD EPYC 9454P 48-Core Processor (family 25 model 17 stepping 1)",
    "cpu_sockets": "1",
    "cpu_cores": "48",
    "cpu_threads": "96",
    "numa_nodes": "1",
    "memory": "384 GiB",
    "virtualisation": "none",
    "board": "H13SSL-N rev 1.01",
    "disk_model": "SAMSUNG MZQL23T8HCLS-00A07",
    "disk_firmware": "GDC5902Q",
    "disk_kind": "nvme, solid state",
    "disk_size": "3.84 TB (3840755982336 B)",
    "disk_lba": "4096 B logical, 4096 B physical",
}
EPOCH = {
    "kernel": "6.17.4-200.x86_64",
    "preemption": "PREEMPT_DYNAMIC",
    "command_line": "quiet mitigations=auto nvme.poll_queues=8 isolcpus=managed_irq,domain,8-47",
    "microcode": "0xa10113e",
    "bios": "3.1 of 2026-02-11",
    "mitigations": "ssb: prctl; spectre_v1: barriers; spectre_v2: Enhanced IBRS, IBPB: conditional",
    "governor": "performance",
    "turbo": "off",
    "smt": "off",
    "thp": "madvise, defrag madvise",
    "disk_scheduler": "none",
    "disk_queue": "nr_requests 1023, nomerges 0, rq_affinity 1, read_ahead_kb 128",
    "file_system": "xfs, noatime, rw",
}
LIVE = {
    "cpu_temperature": "46 °C",
    "disk_wear": "3 % used",
    "disk_temperature": "41 °C",
    "load": "0.02 0.05 0.01",
}
OLDER = {"kernel": "6.12.9-100.x86_64", "microcode": "0xa101144"}
"""Epoch facts of the oldest accepted sessions."""
OLD = {"kernel": "6.12.9-100.x86_64"}
"""Epoch facts of those after them."""

HOST = Host(
    host_class="bm-epyc-9454p",
    fingerprint="sha256:5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
    stable=STABLE,
    epoch=EPOCH,
    live=LIVE,
)
KERNEL = Kernel(
    release=EPOCH["kernel"],
    version="#1 SMP PREEMPT_DYNAMIC Tue Oct 13 09:12:44 UTC 2026",
    build_id="8f2e61b0c6e1d71a77d0931b22c44d7c2e9a1b3f",
    command_line=EPOCH["command_line"],
    config={
        "PREEMPT_DYNAMIC": "y",
        "HZ": "1000",
        "BLK_DEV_LOOP": "m",
        "BLK_DEV_NVME": "y",
        "NVME_MULTIPATH": "y",
        "XFS_FS": "y",
    },
)


def moved_host(**facts: str) -> Host:
    """The machine with other epoch facts."""
    return replace(HOST, epoch=EPOCH | facts)


def controls(dice: random.Random) -> dict[str, tuple[float, ...]]:
    """The built-in controls of one session."""
    return {
        name: tuple(seconds * dice.lognormvariate(0, 0.002) for _ in range(9))
        for name, seconds in (("cpu-spin", 0.1012), ("memory-copy", 0.0874))
    }
