"""The scenes: what a change did, and the report that the judge makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.verdict.findings import failed_report
from gate.model import Waiver
from tests.report.scenes.calibrated import ROUNDS
from tests.report.scenes.loads import Change
from tests.report.scenes.machine import moved_host
from tests.report.scenes.profiles import database, grid, mount, unpack
from tests.report.scenes.world import Part, check

if TYPE_CHECKING:
    from gate.model import Report

_EXTRA_COPY = Change(rate=1 / 1.112, kernel=1.09, kthreads=1.62, softirq=1.02)
"""Every file goes through a kernel thread once more."""


def all_passed() -> Report:
    """Nothing changed, in two profiles."""
    return check((Part(known=database()), Part(known=unpack())), calibrated=ROUNDS)


def regression() -> Report:
    """One metric lost 8 %, proven by 13 loud pairs, and 300 others lost nothing."""
    slow = Part(
        known=mount(noise=0.012),
        changes={"mount-file-system": _EXTRA_COPY._replace(rate=1 / 1.068)},
        disturbed="mount-file-system",
        louder=6.0,
    )
    return check((Part(known=grid()), slow), calibrated=ROUNDS)


def broken() -> Report:
    """No trial of the head side succeeded."""
    disk = (
        "fio exited with status 1: fio: io_u error on file /srv/gate/iometer.0.0: Input/output "
        "error: read offset=1073741824, buflen=8192"
    )
    tar = "tar: linux.tar: Cannot open: Input/output error (exit status 2)"
    return check(
        (
            Part(known=database(), fails=disk),
            Part(known=unpack(), fails=tar),
        )
    )


def nothing() -> Report:
    """The check ended before anything was compared."""
    return failed_report(
        code="G280",
        message="no benchmark is left: the filter `iometr*` matches none of 3 profiles. "
        "Mend the filter, or take it away.",
        exit_status=3,
        created="2026-11-20T05:12:44Z",
        version="0.1.0",
        profiles=("iometer-database", "unpack-kernel"),
    )


def incomparable() -> Report:
    """Without a base side, on a host that has another microcode than when it was accepted."""
    host = moved_host(microcode="0xa101154")
    return check(tuple(Part(known=one, host=host, sides=False) for one in (database(), unpack())))


def improved() -> Report:
    """The change saves CPU time and gains throughput at depth."""
    better = Change(rate=1.09, kernel=0.78, latency=0.9)
    changes = {f"iometer-database[iodepth={depth}]": better for depth in (64, 128, 256)}
    return check((Part(known=database(), changes=changes),), calibrated=ROUNDS)


def waived() -> Report:
    """A proven regression that somebody let through until a day, in writing."""
    waiver = Waiver(
        profile="mount-file-system",
        benchmark="mount-file-system",
        metric="wall",
        ceiling=0.15,
        since="2026-11-01",
        expires="2026-12-24",
        issue="STOR-2114",
        reason="checksums are on until the index is rebuilt",
    )
    slow = Part(known=mount(), changes={"mount-file-system": _EXTRA_COPY})
    return check((Part(known=unpack()), slow), waivers=(waiver,), calibrated=ROUNDS)


def inconclusive() -> Report:
    """A loss between negligible and the tolerance, on a host too loud to tell."""
    loss = {"unpack-kernel": Change(rate=1 / 1.032, kernel=1.03)}
    return check((Part(known=unpack(noise=0.02), changes=loss, louder=5.0),))


def first_run() -> Report:
    """Nothing was ever accepted on this host class, and there is no base side to run."""
    every = (database(), unpack())
    return check(tuple(Part(known=one, accepted=False, sides=False) for one in every))


def swept() -> Report:
    """The curve over queue depth no longer grows beyond 32."""
    flat = Change(rate=1.0, kernel=1.1, softirq=1.9, latency=1.2, tail=2.2)
    top = {64: 0.646, 128: 0.494, 256: 0.452}
    changes = {
        f"iometer-database[iodepth={depth}]": flat._replace(rate=rate, latency=1 / rate)
        for depth, rate in top.items()
    }
    return check(
        (Part(known=database(), changes=changes, disturbed="iometer-database[iodepth=256]"),),
        calibrated=ROUNDS,
    )
