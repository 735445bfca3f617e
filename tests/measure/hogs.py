"""What competes with a measurement: real processes, started and ended by the tests that use them.

`with competing("cpu", place):` keeps one kind of them at work: a loop on every processor, a writer
that syncs what it wrote, or a reader whose memory is too small for what it reads (in a group of
its own, so that nobody but it waits for memory).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

CPU = "while True: pass"
DISK = """
import os, sys
block = os.urandom(1 << 20)
handle = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
while True:
    for n in range(16):
        os.pwrite(handle, block, n << 20)
    os.fsync(handle)
"""
MEMORY = """
import mmap, os, sys
with open(sys.argv[2] + "/cgroup.procs", "w") as group:
    group.write(str(os.getpid()))
handle = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
for n in range(96):
    os.write(handle, os.urandom(1 << 20))
os.fsync(handle)
os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
view = mmap.mmap(handle, 0, prot=mmap.PROT_READ)
print(flush=True)
while True:
    for at in range(0, len(view), 4096):
        view[at]
"""
_LIMIT = 24 << 20
_GROUPS = Path("/sys/fs/cgroup")


def can_compete(kind):
    """Whether this user can make such a hog here."""
    return kind != "memory" or (os.geteuid() == 0 and _limit_file() is not None)


def _limit_file():
    """(Directory of groups, name of the limit's file), of either version of control groups."""
    first, second = _GROUPS / "memory", _GROUPS
    if (first / "memory.limit_in_bytes").exists():
        return first, "memory.limit_in_bytes"
    try:
        given = (second / "cgroup.subtree_control").read_text("ascii").split()
    except OSError:
        return None
    return (second, "memory.max") if "memory" in given else None


@contextmanager
def competing(kind, place):
    """Keep such hogs at work inside, with files below `place`."""
    with _memory_group(kind) as group:
        programs = {
            "cpu": [[CPU]] * (os.cpu_count() or 1),
            "disk": [[DISK, str(place / "hog.data")]],
            "memory": [[MEMORY, str(place / "hog.memory"), str(group)]],
        }[kind]
        hogs = [
            subprocess.Popen(
                [sys.executable, "-c", *program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            for program in programs
        ]
        try:
            yield hogs
        finally:
            for hog in hogs:
                hog.kill()
                hog.communicate()
            for left in ("hog.data", "hog.memory"):
                (place / left).unlink(missing_ok=True)


@contextmanager
def _memory_group(kind):
    if kind != "memory":
        yield None
        return
    parent, limit = _limit_file()
    group = parent / f"driftgate-test-{os.getpid()}-{time.monotonic_ns()}"
    group.mkdir()
    (group / limit).write_text(str(_LIMIT), "ascii")
    try:
        yield group
    finally:
        _remove(group)


def _remove(group):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with suppress(OSError):
            group.rmdir()
            return
        for number in (group / "cgroup.procs").read_text("ascii").split():
            with suppress(ProcessLookupError):
                os.kill(int(number), signal.SIGKILL)
        time.sleep(0.02)
