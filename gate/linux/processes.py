"""Processes and kernel threads, as /proc/PID shows them.

A process number comes again; a number together with its start time does not.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gate.linux.proc_stat import TICK
from gate.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.linux.machine import LinuxMachine

_PROC = "/proc"
_LARGEST = 4096
_ENDED = frozenset("ZXx")
_PF_KTHREAD = 0x00200000
_STATE, _PARENT, _FLAGS, _OWN, _REAPED, _THREADS, _START = 0, 1, 6, (11, 12), (13, 14), 17, 19
"""Fields of /proc/PID/stat after the name (proc(5))."""
_NUMBERED = re.compile(r"[:\d].*")
"""Where the name of a thread ends and its number begins."""
INITIAL_NAMESPACE = "pid:[4026531836]"
"""The name of the first PID namespace, the same in every kernel: all others see a part."""
_NAMESPACE = Path("/proc/self/ns/pid")


class ProcessStat(NamedTuple):
    """One process at one moment: sums since it was started."""

    name: str
    """At most 15 characters, as the kernel keeps it; printable."""
    parent: int
    kernel: bool
    """Whether it is a thread of the kernel."""
    own: int
    """Clock ticks of its threads, those that ended included."""
    reaped: int
    """Clock ticks of children that it waited for."""
    moved: int | None = 0
    """Bytes read from and written to block devices, those of such children included; None where
    this user may not know. It is no part of /proc/PID/stat."""
    threads: int = 1
    start: int = 0
    """Clock ticks from boot to its start."""
    ended: bool = False
    """Whether it was killed or has exited, and nobody has waited for it yet."""


Processes = dict[tuple[int, int], ProcessStat]
"""By number and start time."""
NOBODY = ProcessStat(name="", parent=0, kernel=False, own=0, reaped=0)
"""A process before it was started."""


def parse_process_stat(stat: bytes) -> ProcessStat:
    """The text of /proc/PID/stat.

    Raises:
        ValueError: it is no such text, or cut short.
    """
    name, _, rest = stat.partition(b"(")[2].rpartition(b")")
    words = rest.split()
    if len(words) <= _START:
        message = "this is no /proc/PID/stat"
        raise ValueError(message)
    return ProcessStat(
        name=printable(name.decode("utf-8", "replace"), "?"),
        parent=int(words[_PARENT]),
        kernel=bool(int(words[_FLAGS]) & _PF_KTHREAD),
        own=sum(int(words[n]) for n in _OWN),
        reaped=sum(int(words[n]) for n in _REAPED),
        threads=int(words[_THREADS]),
        start=int(words[_START]),
        ended=words[_STATE].decode("ascii", "replace") in _ENDED,
    )


def parse_process_io(io: bytes) -> dict[str, int]:
    """The text of /proc/PID/io: bytes and calls by name, `read_bytes`."""
    pairs = (row.partition(b":") for row in io.splitlines())
    return {name.decode("ascii", "replace"): int(value) for name, _, value in pairs}


def bytes_moved(io: dict[str, int]) -> int:
    """Bytes read from and written to block devices."""
    return io.get("read_bytes", 0) + io.get("write_bytes", 0)


def process_stat(process: int | str, root: str | Path = _PROC) -> ProcessStat | None:
    """A process now; None if it is gone."""
    try:
        return parse_process_stat(_read(f"{root}/{process}/stat"))
    except (OSError, ValueError):
        return None


def command_line(process: int | str, root: str | Path = _PROC) -> str:
    """Its words with blanks between; empty for a kernel thread, and where it is gone."""
    try:
        line = _read(f"{root}/{process}/cmdline").replace(b"\0", b" ")
    except OSError:
        return ""
    return line.decode("utf-8", "replace").strip()


def process_io(process: int | str, root: str | Path = _PROC) -> dict[str, int] | None:
    """What a process and the children that it waited for read and wrote so far.

    None if it is gone, belongs to another user, or this kernel keeps no such account.
    """
    try:
        return parse_process_io(_read(f"{root}/{process}/io"))
    except (OSError, ValueError):
        return None


def process_numbers(root: str | Path = _PROC) -> tuple[str, ...]:
    """Numbers of all processes that are seen; none where /proc cannot be read."""
    try:
        # Not an iterator over the directory: a signal's exception would leave it open.
        return tuple(name for name in os.listdir(root) if name.isdigit())
    except OSError:
        return ()


def read_processes(root: str | Path = _PROC) -> Processes:
    """Every process now; none where /proc cannot be read. It takes some 15 µs a process."""
    found: Processes = {}
    for number in process_numbers(root):
        one = process_stat(number, root)
        if one is None:
            continue  # gone meanwhile
        if not one.kernel:
            io = process_io(number, root)
            one = one._replace(moved=None if io is None else bytes_moved(io))
        found[int(number), one.start] = one
    return found


def read_processes_of(machine: LinuxMachine) -> Processes:
    """The same of a machine that may be a recorded one."""
    found: Processes = {}
    for number in filter(str.isdecimal, machine.names(_PROC)):
        stat, io = (machine.text(f"{_PROC}/{number}/{file}").encode() for file in ("stat", "io"))
        try:
            one = parse_process_stat(stat)._replace(moved=bytes_moved(parse_process_io(io)))
        except ValueError:
            continue  # gone meanwhile
        found[int(number), one.start] = one
    return found


def _read(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, _LARGEST)
    finally:
        os.close(handle)


def processes_with(*variables: bytes) -> Iterator[int]:
    """Processes whose environment has all of these: beginnings, or wholes that end in a NUL."""
    for number in process_numbers():
        try:
            text = b"\0" + Path(f"{_PROC}/{number}/environ").read_bytes() + b"\0"
        except OSError:
            continue  # gone meanwhile, or of another user
        if all(b"\0" + one in text for one in variables):
            yield int(number)


def start_of(process: int) -> str:
    """When a process started, in clock ticks since boot; empty for one that has ended.

    One that was killed and that nobody has waited for yet has ended, too.
    """
    now = process_stat(process)
    return "" if now is None or now.ended else str(now.start)


def lives(process: int, start: str) -> bool:
    """Whether the process that started then still runs."""
    return bool(start) and start_of(process) == start


def own_mark() -> str:
    """This process, as no other of this boot: its number and its start."""
    return f"{os.getpid()}-{start_of(os.getpid())}"


def control_groups(machine: LinuxMachine) -> dict[str, str]:
    """The control group of this process in each hierarchy, by controllers; `` is version 2."""
    rows = (row.split(":", 2) for row in machine.text("/proc/self/cgroup").splitlines())
    return {row[1]: row[2] for row in rows if len(row) == 3}


def in_container(namespace: Path = _NAMESPACE) -> bool:
    """Whether processes may run here that /proc does not show; also where that cannot be read."""
    try:
        return str(namespace.readlink()) != INITIAL_NAMESPACE
    except OSError:
        return True


class Thread(NamedTuple):
    """One kernel thread at one moment."""

    name: str
    """Without numbers."""
    seconds: float
    """CPU time since it was made."""


Threads = dict[tuple[int, int], Thread]
"""By number and start time."""


def read_kthreads(root: Path = Path(_PROC)) -> Threads:
    """Every kernel thread now; none where /proc cannot be read. Never called during a trial."""
    found: Threads = {}
    for number in process_numbers(root):
        one = process_stat(number, root)
        if one is not None and one.kernel:
            seconds = _scheduled(root / number, one.own * TICK)
            found[int(number), one.start] = Thread(base_name(one.name), seconds)
    return found


def _scheduled(place: Path, ticks: float) -> float:
    """CPU time to the nanosecond where the scheduler keeps it, else what the ticks say."""
    try:
        return int((place / "schedstat").read_bytes().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return ticks


def base_name(name: str) -> str:
    """The name without numbers: `kworker/0:1-events` is `kworker`, `loop0` is `loop`.

    A digit before a slash belongs to the name, as in `jbd2/sda1-8`.
    """
    head, slash, _ = name.partition("/")
    return (head if slash else _NUMBERED.sub("", name)).rstrip("-_.") or name


def kthread_seconds(before: Threads, after: Threads) -> dict[str, float]:
    """Seconds that each name used in between; a thread that ended meanwhile is not counted."""
    used: dict[str, float] = {}
    for key, thread in after.items():
        known = before.get(key)
        seconds = thread.seconds - (known.seconds if known else 0.0)
        if seconds > 0:
            used[thread.name] = used.get(thread.name, 0.0) + seconds
    return used
