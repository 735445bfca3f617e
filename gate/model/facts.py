"""What each fact of a machine is, and why it matters to a measurement: for every reader of one."""

from __future__ import annotations

STABLE = {
    "architecture": "instruction set: another one runs other code",
    "cpu_model": "the processor, with its stepping: the speed of all that computes",
    "cpu_sockets": "packages: work and memory may be on the far one",
    "cpu_cores": "cores: how much runs at once at full speed",
    "cpu_threads": "processors, also those switched off: how far the scheduler may spread work",
    "numa_nodes": "memory nodes: the far one answers later",
    "memory": "installed memory: what stays cached and what must come from the disk",
    "virtualisation": "hypervisor, or none: it takes time, and neighbours may too",
    "container": "container, or none: it may limit processors, memory and I/O",
    "system": "maker and model of the machine: cooling and power limits come with it",
    "board": "main board: how memory and slots are connected",
    "disk_model": "the drive that carries the work directory",
    "disk_firmware": "the drive's own software: it decides on cache, flash and pauses",
    "disk_kind": "how the drive is attached, and whether it turns: seeks cost milliseconds",
    "disk_size": "its capacity: a drive of another size has other flash and parallelism",
    "disk_lba": "block sizes: a write below the physical one costs a read as well",
    "disk_link": "the link that the drive could have at best: a ceiling on throughput",
}
"""A machine that differs in one of these is another machine."""
EPOCH = {
    "kernel": "release of the kernel: scheduler, file systems and drivers come with it",
    "preemption": "when the kernel lets a task be interrupted: latency against throughput",
    "command_line": "what the kernel was booted with: mitigations, isolation, power",
    "microcode": "the processors' own software: mitigations and speeds come with it",
    "bios": "firmware of the machine: power limits and memory timing come with it",
    "mitigations": "what is done against processor weaknesses: system calls and switches pay",
    "governor": "who chooses the clock of the processors",
    "epp": "whether the processors prefer speed or energy",
    "scaling": "driver of the clocks, and its mode",
    "turbo": "whether clocks above the rated one are allowed, as heat permits",
    "smt": "whether two threads share a core",
    "offline_cpus": "processors that are switched off",
    "idle": "who sends processors to sleep, and how deep: waking takes time",
    "thp": "transparent huge pages: fewer misses, and pauses to make them",
    "clocksource": "where the time comes from: a slow one makes every reading of it cost",
    "numa_balancing": "whether the kernel moves pages between nodes while work runs",
    "swap": "whether memory may go to a disk",
    "disk_scheduler": "I/O scheduler of the drive: order, merging and cost of every request",
    "disk_queue": "queue settings: depth, merging, read-ahead, write-back throttling",
    "disk_write_cache": "whether a write is done when it is in the drive's cache",
    "disk_layers": "what stands between file system and drive: encryption, RAID, volumes",
    "file_system": "file system of the work directory, and its mount options",
    "tuned": "settings that the gate tuned while it measured",
}
"""A change of one of these makes other numbers: it opens a new epoch."""


def about(key: str) -> str:
    """What a fact is and why it matters, in a few words."""
    return STABLE.get(key) or EPOCH.get(key) or "a fact that this version of the gate does not read"
