"""Recorded looks at a kernel, recorded samples of perf, and what is made of them."""

from __future__ import annotations

from pathlib import Path

from recorded_machine import RecordedMachine

from gate.judge.context.diagnosis import flame_of, why_of
from gate.model import SCHEMA, Side
from gate.model.diagnosis import ExtraRun, ExtraRuns, Folded

VMSTAT = "nr_free_pages 1805209\nnr_dirtied {dirtied}\nworkingset_nodes 7\npgfault {faults}\n"
SOFTIRQS = """                    CPU0       CPU1
          HI:          0          0
       BLOCK:      {softirqs}        100
"""
INTERRUPTS = """           CPU0       CPU1
 24:          1          0  IO-APIC   5-edge      ACPI:Ged
 41:      {device}          5 PCI-MSIX-0000:00:04.0   1-edge      virtio1-req.0
 42:          7          5 PCI-MSIX-0000:00:04.0   2-edge      virtio1-req.0
RES:         10         20   Rescheduling interrupts
ERR:          0
"""
STAT = "cpu  1 2 3 4\nintr {interrupts} 0 1\nctxt {switches}\nbtime 1795304886\nprocesses 170\n"
SCHEDSTAT = """version 17
timestamp 4302
cpu0 1 0 {schedules} 30 40 50 60000000 7000000000 80
domain0 MC 03 1 2 3 4
cpu1 1 0 10 30 40 50 60000000 7000000000 80
"""
DISK = "   100   14  {sectors} 188 149 3898 6081 5757 3 2476 25011 3533 595 1572 3227 12 733\n"
PRESSURE = (
    "some avg10=3.16 avg60=3.45 avg300=3.15 total={waited}\n"
    "full avg10=0.00 avg60=0.02 avg300=0.51 total=500000\n"
)
NET = """Ip: Forwarding DefaultTTL InReceives
Ip: 2 64 {packets}
Tcp: RtoMin MaxConn CurrEstab InSegs
Tcp: 200 -1 4 10
"""


def machine(**counts: int) -> RecordedMachine:
    """A machine at one moment; a counter that is not named is 1000."""
    names = ("dirtied", "faults", "softirqs", "device", "interrupts", "switches", "schedules")
    usual = dict.fromkeys((*names, "sectors", "waited", "packets"), 1000)
    values = usual | counts
    files = {
        "/proc/vmstat": VMSTAT,
        "/proc/softirqs": SOFTIRQS,
        "/proc/interrupts": INTERRUPTS,
        "/proc/stat": STAT,
        "/proc/schedstat": SCHEDSTAT,
        "/sys/block/vda/stat": DISK,
        "/proc/pressure/io": PRESSURE,
        "/proc/net/snmp": NET,
    }
    return RecordedMachine({"files": {path: text.format(**values) for path, text in files.items()}})


def extra(
    side: Side, counts: dict[str, float], *, operations: float | None = 1000.0, seconds: float = 2.0
) -> ExtraRun:
    """One extra run."""
    return ExtraRun(side=side, seconds=seconds, operations=operations, counts=counts)


SWITCHES, FAULTS, TIMER = "stat: context switches", "vmstat: pgfault", "softirq: TIMER"


def runs() -> tuple[ExtraRun, ...]:
    """Three runs of each side: the head switches more, and takes half as long again."""
    base = [(2010.0, 5000.0, 500.0), (1990.0, 5100.0, 498.0), (2000.0, 4900.0, 502.0)]
    head = [(6000.0, 5050.0, 750.0), (6100.0, 4950.0, 748.0), (5900.0, 5020.0, 752.0)]
    return tuple(
        extra(side, dict(zip((SWITCHES, FAULTS, TIMER), row, strict=True)), seconds=seconds)
        for pair in zip(base, head, strict=True)
        for side, row, seconds in zip(Side, pair, (2.0, 3.0), strict=True)
    )


SCRIPT = (Path(__file__).parent / "perf-script.txt").read_text(encoding="utf-8")
"""What perf prints: a program without frame pointers, a kernel thread, idle processors, others."""


def sampled(side: Side, stacks: dict[str, int], operations: float | None = 1000.0) -> Folded:
    """One side's samples."""
    return Folded(
        event="cpu-clock",
        every=0.001,
        run=ExtraRun(side=side, seconds=2.0, operations=operations),
        stacks=stacks,
    )


BASE_STACKS = {"fio;io_submit;ext4_map": 60, "fio;io_submit;crc": 20, "kworker;writeback": 20}
HEAD_STACKS = {"fio;io_submit;ext4_map": 62, "fio;io_submit;crc": 120, "fio;fsync": 18}


def sample_flame():
    """A flame graph in which `crc` takes six times as long."""
    return flame_of(sampled(Side.BASE, BASE_STACKS), sampled(Side.HEAD, HEAD_STACKS))


def sample_why(profile: str = "iometer", benchmark: str = "b"):
    """What moved, with all that there can be."""
    found = ExtraRuns(
        schema=SCHEMA, profile=profile, benchmark=benchmark, word="I/O", runs=runs(), notes=()
    )
    stacks = {
        Side.BASE: sampled(Side.BASE, BASE_STACKS),
        Side.HEAD: sampled(Side.HEAD, HEAD_STACKS),
    }
    return why_of(found, stacks)
