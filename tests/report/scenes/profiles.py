"""The profiles of the scenes, reviewed, with the benchmarks as the lab knows them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from gate.model import (
    Benchmark,
    Better,
    Derived,
    Metric,
    Profile,
    Role,
    SideSpec,
    Take,
    Trials,
    Work,
)
from tests.report.scenes.loads import Load

LOWER, HIGHER = Better.LOWER, Better.HIGHER
IOPS = Metric(name="iops", unit="op/s", better=HIGHER, tolerance=0.05)
CPU = Metric(name="cpu_per_io", unit="s", better=LOWER, tolerance=0.08, floor=200e-9)
P99 = Metric(name="clat_p99", unit="s", better=LOWER, tolerance=0.1, role=Role.WATCH)
SCALING = Metric(
    name="iops_scaling",
    unit="1",
    better=HIGHER,
    tolerance=0.15,
    derived=Derived(of="iops", over="iodepth", take=Take.SCALING),
)
KNEE = Metric(
    name="iops_knee",
    unit="1",
    better=HIGHER,
    role=Role.WATCH,
    derived=Derived(of="iops", over="iodepth", take=Take.KNEE),
)
WALL = Metric(name="wall", unit="s", better=LOWER, tolerance=0.05)
CPU_PER_FILE = Metric(name="cpu_per_op", unit="s", better=LOWER, tolerance=0.05)
SYSTEM = Metric(name="system", unit="s", better=LOWER, tolerance=0.1, role=Role.WATCH)


class Known(NamedTuple):
    """A reviewed profile and what its benchmarks do."""

    profile: Profile
    loads: tuple[Load, ...]


def profile(name: str, harness: str, about: str, **more: object) -> Profile:
    """A reviewed profile with both sides."""
    return Profile(
        name=name,
        path=f"profiles/{name}.toml",
        root=".",
        harness=harness,
        about=about,
        digest=f"sha256:{name.encode().hex():0<64}"[:71],
        work=Work(),
        trials=Trials(screen=3, confirm_pairs=30),
        sides={side: SideSpec(directory=f"../{side}") for side in ("base", "head")},
        **more,  # type: ignore[arg-type]
    )


_DEPTHS = {1: 11_800.0, 8: 86_000.0, 32: 298_000.0, 64: 498_000.0, 128: 655_000.0, 256: 712_000.0}
"""Operations per second by queue depth: a drive that grows to the end."""


def database(noise: float = 0.006) -> Known:
    """Six queue depths and the curve that they make."""
    stem = "iometer-database"
    points = [
        Benchmark(name=f"{stem}[iodepth={depth}]", params={"iodepth": str(depth)})
        for depth in _DEPTHS
    ]
    group = Benchmark(
        name=f"{stem}[iodepth=*]", group="iodepth", members=tuple(one.name for one in points)
    )
    loads = tuple(
        Load(
            name=f"{stem}[iodepth={depth}]",
            rate=rate,
            cost=6.1e-6 if depth == 1 else 4.2e-6,
            latency=depth / rate * 0.92,
            noise=noise,
        )
        for depth, rate in _DEPTHS.items()
    )
    made = profile(
        stem,
        "fio",
        "IOmeter's Database pattern over queue depth: 8 KiB, 67 % reads, fully random",
        benchmarks=(*points, group),
        metrics=(IOPS, CPU, SCALING, KNEE, P99),
    )
    return Known(made, loads)


def unpack(noise: float = 0.006) -> Known:
    """One command."""
    name = "unpack-kernel"
    made = profile(
        name,
        "hyperfine",
        "Unpack the kernel's source from a tar archive",
        benchmarks=(Benchmark(name=name),),
        metrics=(WALL, CPU_PER_FILE, SYSTEM),
    )
    load = Load(name=name, rate=4_010.0, cost=262e-6, operations=86_412, noise=noise)
    return Known(made, (load,))


def mount(noise: float = 0.006) -> Known:
    """One command, one metric that may close the gate."""
    name = "mount-file-system"
    made = profile(
        name,
        "hyperfine",
        "Mount a file system of 100,000 files and look at each of them",
        benchmarks=(Benchmark(name=name),),
        metrics=(WALL, SYSTEM),
    )
    load = Load(name=name, rate=48_300.0, cost=19e-6, operations=100_000, noise=noise)
    return Known(made, (load,))


_KINDS = ("read", "randread", "write", "randwrite", "randrw")
_SIZES = (4, 8, 16, 32, 64, 128)


def grid() -> Known:
    """150 benchmarks of two metrics: 300 to judge."""
    loads = tuple(
        Load(
            name=f"block-grid[rw={kind},bs={size}k,iodepth={depth}]",
            rate=4.4e6 / size * depth / (depth + 9),
            cost=3.4e-6 + 0.11e-6 * size,
        )
        for kind in _KINDS
        for size in _SIZES
        for depth in (1, 4, 16, 64, 256)
    )
    made = profile(
        "block-grid",
        "fio",
        "Every pattern, block size and queue depth that the product uses",
        benchmarks=tuple(Benchmark(name=one.name) for one in loads),
        metrics=(IOPS, replace(CPU, tolerance=0.09)),
    )
    return Known(made, loads)
