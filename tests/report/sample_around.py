"""What stands beside the sample's findings; every figure agrees with them.

The head's nvme module completes through a loop thread: throughput no longer grows beyond a depth
of 32, the thread costs CPU time, and the slowest reads wait three times as long.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.model import Better, Verdict
from gate.model.report_rows import (
    Accepted,
    Alike,
    Bill,
    Difference,
    Latency,
    Origin,
    Quantile,
    SetAside,
    Share,
    Sweep,
    SweepPoint,
    TextChange,
)
from gate.model.session import Side, Stage
from tests.report.build import EARLIER, SESSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.model import Finding

BASE_COMMIT = "1b7e0c55d2a94f6e8b3c1d0f9a8e7d6c5b4a3928"
HEAD_COMMIT = "4d7c2e9a1b3f5d7c9e0a2b4c6d8e0f1a3b5c7d9e"
SLOW = "iometer-database[iodepth=32]"
_PROFILES = ("iometer", "hyperfine-mount")
_LAST = f"accepted session {SESSIONS[-1]}"
_WHY = {
    EARLIER[0]: ("grace", "first baseline of this host class", ()),
    EARLIER[2]: (
        "grace",
        "interrupts spread over all queues",
        ("microcode 0xa101148 -> 0xa10113e",),
    ),
    SESSIONS[0]: ("ada", "io_uring by default", ("kernel 6.17.3-100.gate.x86_64 -> 6.17.4-200",)),
}


def _accepted(number: int, session: str) -> Accepted:
    by, reason, moved = _WHY.get(session, ("ada", "nightly, nothing changed", ()))
    day = f"{session[:4]}-{session[4:6]}-{session[6:8]}"
    return Accepted(
        profile="iometer",
        session=session,
        started=f"{day}T03:12:08Z",
        commit=f"{number + 1:x}" * 40,
        accepted=f"{day}T09:30:00Z",
        by=by,
        reason=reason,
        moved=moved,
    )


ACCEPTED = tuple(_accepted(number, name) for number, name in enumerate((*EARLIER, *SESSIONS)))
ORIGIN = Origin(
    base_commit=BASE_COMMIT,
    head_commit=HEAD_COMMIT,
    files=f"https://github.com/acme/driver/blob/{HEAD_COMMIT}",
    options=("--base", "../base"),
)


def _shares(*rows: tuple[str, float | None, float]) -> tuple[Share, ...]:
    return tuple(
        Share(name=name, base=None if base is None else base * 1e-6, head=head * 1e-6)
        for name, base, head in rows
    )


def bills(base: float, head: float) -> tuple[Bill, ...]:
    """The cost of an I/O that the finding on it tells, in seconds, and one without a base side."""
    paid = _shares(
        ("own processes in user space", 0.981, 0.984),
        ("own processes in the kernel", 1.622, 1.619),
        ("kernel threads (loop)", base * 1e6 - 3.118, head * 1e6 - 3.116),
        ("kernel threads (kworker)", 0.204, 0.201),
        ("other processes, and interrupts at rest", 0.311, 0.312),
    )
    saw = _shares(
        ("user space", 0.985, 0.988),
        ("the kernel", 2.612, 2.846),
        ("interrupts", 0.201, 0.199),
        ("soft interrupts", 0.410, 0.467),
    )
    return (
        Bill(
            profile="iometer", benchmark=SLOW, word="I/O", trials_base=30, trials_head=12,
            base=base, head=head, owners=paid, contexts=saw,
        ),
        Bill(
            profile="iometer", benchmark="fio-zoned-append[zones=14]", word="I/O", trials_base=0,
            trials_head=3, base=None, head=11.4e-6,
            owners=_shares(
                ("own processes in user space", None, 3.2),
                ("own processes in the kernel", None, 8.1),
                ("other processes, and interrupts at rest", None, 0.1),
            ),
            contexts=_shares(("user space", None, 3.3), ("the kernel", None, 8.1)),
        ),
    )  # fmt: skip


_AT = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 99.9999)
_READ = (21.0, 24.0, 26.0, 31.0, 37.6, 46.1, 74.0, 112.0, 211.4, 268.0, 421.0, 530.0, 902.0, 2210.0)
_READ_HEAD = (
    *(21.2, 24.3, 26.4, 32.1, 39.9, 50.7, 81.2, 118.0, 214.8, 391.0, 1314.0, 1702.0),
    *(2890.0, 4640.0),
)
_LOOPED = 1.027
"""Of the write side's latencies, against the read side's."""


def latencies(slower: float = 1.0) -> tuple[Latency, ...]:
    """Reads and writes of the slow benchmark; `slower` 0 gives a head like its base."""
    samples = {"read": 14_302_000, "write": 7_044_000}
    made = []
    for kind, count in samples.items():
        part = 1.0 if kind == "read" else 1 / _LOOPED
        points = tuple(
            Quantile(
                percentile=at,
                base=base * part * 1e-6,
                head=(base + (head - base) * slower) * part * 1e-6,
                beyond=round(count * (100 - at) / 100, 1),
            )
            for at, base, head in zip(_AT, _READ, _READ_HEAD, strict=True)
        )
        made.append(
            Latency(
                profile="iometer",
                benchmark=SLOW,
                kind=kind,
                trials_base=14,
                trials_head=17,
                points=points,
            )
        )
    return tuple(made)


def sweeps(findings: Iterable[Finding]) -> tuple[Sweep, ...]:
    """The curve of each workload over its depth, of the findings on its points."""
    points: dict[str, dict[int, SweepPoint]] = {}
    for made in findings:
        found = re.fullmatch(r"(iometer-[a-z-]+)\[iodepth=(\d+)\]", made.benchmark)
        if found is None or made.metric != "iops":
            continue
        points.setdefault(f"{found[1]}[iodepth=*]", {})[int(found[2])] = SweepPoint(
            place=found[2],
            benchmark=made.benchmark,
            base=made.base_value,
            head=made.head_value,
            verdict=made.verdict,
        )
    return tuple(
        Sweep(
            profile="iometer",
            group=group,
            parameter="iodepth",
            metric="iops",
            unit="op/s",
            better=Better.HIGHER,
            points=tuple(held[depth] for depth in sorted(held)),
            made=("iops_scaling",),
            told="no longer grows beyond iodepth 32" if _bent(held.values()) else "",
        )
        for group, held in sorted(points.items())
    )


def _bent(points: Iterable[SweepPoint]) -> bool:
    return any(point.verdict is Verdict.REGRESSED for point in points)


def _between(area: str, key: str, base: str, head: str, against: str = _LAST) -> Difference:
    only = _PROFILES if against == _LAST else _PROFILES[:1]
    return Difference(area=area, key=key, base=base, head=head, against=against, profiles=only)


DIFFERENCES = (
    _between("host", "microcode", "0xa10113c", "0xa10113e"),
    _between("kernel", "version", "#1 SMP Sat Nov 8 2026", "#2 SMP Wed Nov 18 2026"),
    _between("kernel", "build-id", "9f1c2e77", "c04be181"),
    _between("kernel config", "BLK_WBT_MQ", "y", ""),
    _between("kernel config", "NVME_MULTIPATH", "", "y"),
    _between("command line", "nvme.poll_queues", "", "4"),
    _between("tools", "fio", "3.40", "3.41"),
    _between("profile", "text", "sha256:71c0a2", "sha256:e4b9d8"),
    _between("tuning", "governor, turbo", "not tuned", "tuned"),
    _between(
        "subject",
        "nvme.ko",
        "srcversion 8F2E61B0C6E1D7",
        "srcversion 1A77D0931B22C4",
        "base side",
    ),
    _between("disturbed", "trials set aside", "1 of 66", "3 of 65", "base side"),
)
ALIKE = (
    Alike(area="host", count=38),
    Alike(area="kernel", count=1),
    Alike(area="kernel config", count=2914),
    Alike(area="command line", count=9),
    Alike(area="tools", count=2),
)
CHANGES = (
    TextChange(
        name="profiles/iometer.toml",
        lines=(
            "@@ -9,5 +9,6 @@",
            " [metric.iops]",
            '-tolerance = "5%"',
            '+tolerance = "50%"',
            " [metric.cpu_per_io]",
            ' tolerance = "3%"',
            '+floor = "200 ns"',
            " [metric.clat_p99]",
        ),
    ),
)


def _aside(sequence: int, side: Side, stage: Stage, kind: str, why: str) -> SetAside:
    return SetAside(
        profile="iometer", benchmark=SLOW, side=side, stage=stage, sequence=sequence, kind=kind,
        why=why,
    )  # fmt: skip


ASIDE = (
    _aside(1, Side.HEAD, Stage.SCREEN, "foreign_cpu", "others used 0.92 processors: updatedb 0.9"),
    _aside(17, Side.BASE, Stage.CONFIRM, "foreign_cpu", "others used 0.31 processors: dnf 0.3"),
    _aside(22, Side.HEAD, Stage.CONFIRM, "foreign_cpu", "others used 0.44 processors: dnf 0.4"),
    _aside(29, Side.HEAD, Stage.CONFIRM, "steal", "the hypervisor took 9 %"),
)
