"""Made-up machines and bills for the accounting tests: `from measure.cpu import made`."""

from __future__ import annotations

import os

from gate.model import (
    Benchmark,
    Better,
    Contexts,
    CpuBill,
    Derived,
    Metric,
    Owners,
    Profile,
    Take,
    Work,
)

HZ = os.sysconf("SC_CLK_TCK")


def stat_text(rows, switches):
    """/proc/stat of a machine whose processors spent these seconds (user system idle iowait ...)."""
    lines = []
    total = [sum(column) for column in zip(*rows, strict=True)]
    for name, row in [("cpu", total), *((f"cpu{i}", row) for i, row in enumerate(rows))]:
        lines.append(" ".join([name, *(str(int(one * HZ)) for one in row), "0", "0"]))
    return "\n".join([*lines, "intr 12 3 4", f"ctxt {switches}", "btime 1", ""])


def row(*, user=0.0, system=0.0, idle=0.0, iowait=0.0, softirq=0.0, steal=0.0):
    """One processor's seconds in the order of /proc/stat."""
    return (user, 0.0, system, idle, iowait, 0.0, softirq, steal)


def bill_of(**changes):
    """A bill of 2 s on 2 processors that cost 1 CPU-second, 0.1 of it the idle machine's."""
    plain = {
        "window": 2.0,
        "life": 2.5,
        "operations": 1000.0,
        "transferred": 4096000.0,
        "busy": 1.0,
        "idle_reference": 0.1,
        "contexts": Contexts(user=0.2, system=0.6, softirq=0.1),
        "per_cpu": (0.6, 0.4),
        "owners": Owners(
            own_user=0.25, own_system=0.5, kthreads={"loop": 0.1, "kworker": 0.15}, rest=0.1
        ),
        "switches": 3000.0,
        "resolution": 0.01,
    }
    return CpuBill(**plain | changes)


def profile_of(harness, **metrics):
    """A profile with these metrics: name -> role, or -> (metric of the points, role)."""
    made = []
    for name, asked in metrics.items():
        source, role = asked if isinstance(asked, tuple) else ("", asked)
        derived = Derived(of=source, over="iodepth", take=Take.GEOMEAN) if source else None
        made.append(Metric(name=name, unit="s", better=Better.LOWER, role=role, derived=derived))
    return Profile(
        name="p",
        path="profiles/p.toml",
        root=".",
        harness=harness,
        about="",
        digest="0",
        work=Work(),
        benchmarks=(Benchmark(name="b"),),
        metrics=tuple(made),
    )
