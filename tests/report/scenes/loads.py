"""What one trial gives: the values, the CPU bill and the latencies of a simulated benchmark.

Every figure of a trial follows from the same few dice, so that they agree as real ones do: the
rate, what an operation costs the processors and who pays it, and how long it takes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Contexts, CpuBill, Owners, Percentiles, Value

if TYPE_CHECKING:
    import random

POINTS = (1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
"""Percentiles that the harness tells."""
WINDOW, RAMP, PROCESSORS = 30.0, 2.0, 48
_IDLE = 0.05
"""CPU-seconds per second of the idle machine."""
_SPREAD = 0.45
"""Of latencies inside a trial, in logs."""


class Change(NamedTuple):
    """What the head side does to a benchmark, as factors."""

    rate: float = 1.0
    kernel: float = 1.0
    """CPU time of its own processes in the kernel."""
    kthreads: float = 1.0
    softirq: float = 1.0
    latency: float = 1.0
    tail: float = 1.0
    """Latency at the 99.9th percentile, on top of that."""


SAME = Change()


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A benchmark as the lab knows it."""

    name: str
    rate: float
    """Operations per second."""
    cost: float
    """CPU-seconds of an operation."""
    latency: float = 0.0
    """Median completion time in seconds; 0 where the harness tells of none."""
    kind: str = "read"
    operations: int = 0
    """Operations of one run of a command; 0 for a load that runs for a fixed time."""
    noise: float = 0.006
    """Between sessions, in logs; inside one about half of it."""


class Level(NamedTuple):
    """Where a session stands: factors of the rate and of the cost."""

    rate: float
    cost: float


class Figures(NamedTuple):
    """What one trial gives."""

    values: tuple[Value, ...]
    bill: CpuBill
    latencies: tuple[Percentiles, ...]
    duration: float


def level(load: Load, dice: random.Random, shift: float = 1.0) -> Level:
    """A session's level, about `shift` times the benchmark's usual rate."""
    return Level(
        shift * math.exp(dice.gauss(0, load.noise)), math.exp(dice.gauss(0, load.noise)) / shift
    )


def figures(load: Load, change: Change, at: Level, dice: random.Random) -> Figures:
    """One trial."""
    rate = load.rate * change.rate * at.rate * math.exp(dice.gauss(0, load.noise / 2))
    wobble = at.cost * math.exp(dice.gauss(0, load.noise / 2))
    seconds = load.operations / rate if load.operations else WINDOW
    operations = load.operations or round(rate * seconds)
    bill = _bill(load.cost * wobble * operations, change, operations, seconds, dice)
    curve = _curve(load, change, operations, dice)
    return Figures(_values(load, bill, curve, seconds), bill, curve, seconds + RAMP)


def _bill(
    usual: float, change: Change, operations: int, seconds: float, dice: random.Random
) -> CpuBill:
    """Who pays: shares of the usual cost, each times what the change does to it."""
    parts = {
        "own_user": 0.16,
        "own_system": 0.46 * change.kernel,
        "kworker": 0.13 * change.kthreads,
        "loop": 0.07 * change.kthreads,
        "ksoftirqd": 0.02 * change.softirq,
        "rest": 0.16 * change.softirq,
    }
    paid = {name: usual * part * math.exp(dice.gauss(0, 0.004)) for name, part in parts.items()}
    net, idle = sum(paid.values()), _IDLE * seconds
    softirq = 0.17 * usual * change.softirq
    life = seconds + RAMP
    grown = life / seconds
    return CpuBill(
        window=seconds,
        life=life,
        operations=float(operations),
        transferred=operations * 8192.0,
        busy=net + idle,
        idle_reference=idle,
        contexts=Contexts(
            user=paid["own_user"],
            system=net - paid["own_user"] - softirq - 0.02 * usual,
            irq=0.02 * usual,
            softirq=softirq,
        ),
        per_cpu=tuple((net + idle) / PROCESSORS for _ in range(PROCESSORS)),
        owners=Owners(
            own_user=paid["own_user"] * grown,
            own_system=paid["own_system"] * grown,
            kthreads={one: paid[one] * grown for one in ("kworker", "loop", "ksoftirqd")},
            rest=(paid["rest"] + idle) * grown,
        ),
        switches=operations * 1.7,
        source="scheduler sums",
        resolution=1e-4,
    )


def _curve(
    load: Load, change: Change, operations: int, dice: random.Random
) -> tuple[Percentiles, ...]:
    if not load.latency:
        return ()
    middle = load.latency * change.latency * math.exp(dice.gauss(0, load.noise))
    far = NormalDist().inv_cdf(0.999)
    points = []
    for percentile in POINTS:
        z = NormalDist().inv_cdf(percentile / 100)
        tail = change.tail ** max(z / far, 0.0)
        points.append((float(percentile), middle * tail * math.exp(_SPREAD * z)))
    return (Percentiles(kind=load.kind, samples=operations, points=tuple(points)),)


def _values(
    load: Load, bill: CpuBill, curve: tuple[Percentiles, ...], seconds: float
) -> tuple[Value, ...]:
    operations = int(bill.operations)
    if load.operations:
        return (
            Value(metric="wall", value=seconds),
            Value(metric="cpu_per_op", value=bill.net / operations),
            Value(metric="system", value=bill.contexts.system),
        )
    found = [
        Value(metric="iops", value=operations / seconds, samples=operations),
        Value(metric="cpu_per_io", value=bill.net / operations, samples=operations),
    ]
    for one in curve:
        at = dict(one.points)
        found.append(Value(metric="clat_p99", value=at[99.0], samples=operations))
    return tuple(found)
