"""The metrics that a CPU bill gives: each with its unit and the smallest difference it can tell."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from gate.linux.proc_stat import TICK
from gate.model import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.model import CpuBill, IdleReference

_CURE = "let a trial do more work"
_NOT_IDLE = 0.25
"""Of all processors: a machine that uses more of them at rest is not at rest."""


class Figure(NamedTuple):
    """A number with the smallest difference it can tell, or why there is none."""

    value: float = math.nan
    resolution: float = 0.0
    lacking: str = ""


def cpu_values(
    bill: CpuBill, idle: IdleReference, names: Iterable[str]
) -> tuple[tuple[Value, ...], dict[str, str]]:
    """The values of the named metrics, and why others of them have none."""
    if not bill.operations > 0:
        why = "no operation was completed in the measured window"
        return (), dict.fromkeys(names, why)
    figures = _figures(bill, idle)
    values, lacking = [], {}
    for name in names:
        figure = figures.get(_family(name), Figure(lacking="the gate does not know it"))
        why = figure.lacking
        if not why and not (math.isfinite(figure.value) and figure.value > 0):
            why = f"it came out as {figure.value:g}, and only figures above 0 can be compared"
        if why:
            lacking[name] = why
        else:
            values.append(Value(metric=name, value=figure.value, resolution=figure.resolution))
    return tuple(values), lacking


def _family(name: str) -> str:
    """One name for both harnesses: `cpu_per_op` is `cpu_per_io`."""
    return f"{name.removesuffix('_per_op')}_per_io" if name.endswith("_per_op") else name


def _figures(bill: CpuBill, idle: IdleReference) -> dict[str, Figure]:
    operations = bill.operations
    life = bill.window / bill.life if bill.life > 0 else 0.0
    own = bill.owners.own_user + bill.owners.own_system
    kthreads = sum(bill.owners.kthreads.values())
    step = TICK / operations
    # A trial's own tasks and kernel threads are known over its whole life: their part of the
    # window is taken as if they had worked evenly.
    found = {
        **_net(bill, idle),
        "cpu_share": Figure(own / bill.life, TICK / bill.life) if bill.life > 0 else Figure(0.0),
        "own_cpu_per_io": Figure(own * life / operations, step),
        "kthread_cpu_per_io": Figure(kthreads * life / operations, step),
        "softirq_cpu_per_io": Figure(bill.contexts.softirq / operations, step),
        "context_switches": Figure(bill.switches / operations, 1 / operations),
        "energy_per_io": _energy(bill, idle),
    }
    for name, events in _events(bill).items():
        found[f"{name}_per_io"] = Figure(events / operations)
    return found


def _net(bill: CpuBill, idle: IdleReference) -> dict[str, Figure]:
    """What comes of the CPU time that the trial cost, as far as it is known."""
    net, step, operations = bill.net, bill.resolution, bill.operations
    names = ("cpu_per_io", "cpu_per_byte", "cpu_utilisation", "efficiency")
    if net <= step:
        why = (
            f"the trial cost {net:.3f} CPU-seconds more than the idle machine, and differences "
            f"below {step:.3f} s cannot be seen: {_CURE}"
        )
        if idle.busy > _NOT_IDLE * len(bill.per_cpu):
            why = (
                f"other work keeps {idle.busy:.2f} of {len(bill.per_cpu)} processors busy while "
                f"nothing is measured, and the trial's own cannot be separated from it "
                f"({net:+.3f} CPU-seconds): quieten the host"
            )
        return dict.fromkeys(names, Figure(lacking=why))
    whole = bill.window * len(bill.per_cpu)
    moved = bill.transferred
    return {
        "cpu_per_io": Figure(net / operations, step / operations),
        "cpu_utilisation": Figure(net / whole, step / whole),
        "efficiency": Figure(operations / net, operations / net * step / net),
        "cpu_per_byte": Figure(net / moved, step / moved)
        if moved > 0
        else Figure(lacking="the number of bytes transferred is not known"),
    }


def _energy(bill: CpuBill, idle: IdleReference) -> Figure:
    if bill.energy is None:
        return Figure(lacking="the energy was not counted")
    net = bill.energy - (idle.energy or 0.0) * bill.window
    if net <= 0:
        return Figure(lacking=f"the trial used no more energy than the idle machine: {_CURE}")
    # Without a resolution: RAPL counts in steps of some 60 µJ, far below the energy of a trial,
    # and nothing tells how exact its counts are.
    return Figure(net / bill.operations)


def _events(bill: CpuBill) -> dict[str, float]:
    if bill.counters is None:
        return {}
    found: dict[str, float] = asdict(bill.counters)
    for name in ("cycles", "instructions"):
        found[name] = found[f"{name}_user"] + found[f"{name}_kernel"]
    return found
