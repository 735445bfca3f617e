"""What processes outside a trial did meanwhile: processor time and block I/O, by name.

Every process is looked at before a trial and after it, never during one. The kernel adds what a
process used to its parent once that waited for it, so that children that lived and died in between
are seen through a parent that lives on. Two kinds of parents tell nothing: this process, whose
children are the trial, and whoever may inherit the trial's orphans (process 1 and our own
ancestors). What only those could tell is unseen here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from gate.linux.proc_stat import TICK

_PF_KTHREAD = 0x00200000
_PARENT, _FLAGS, _OWN, _REAPED, _BORN = 1, 6, slice(11, 13), slice(13, 15), 19
"""Fields of /proc/PID/stat after the name."""
_MOVED = (b"read_bytes:", b"write_bytes:")
_LARGEST = 4096
INITIAL_NAMESPACE = "pid:[4026531836]"
"""The name of the first PID namespace, the same in every kernel: all others see a part."""
_NAMESPACE = Path("/proc/self/ns/pid")


class Process(NamedTuple):
    """One process at one moment: sums since it was started."""

    name: str
    """At most 15 characters, as the kernel keeps it."""
    parent: int
    kernel: bool
    """Whether it is a thread of the kernel."""
    own: int
    """Clock ticks of its threads, those that ended included."""
    reaped: int
    """Clock ticks of children that it waited for."""
    moved: int | None
    """Bytes read from and written to block devices, those of such children included; None where
    this user may not know."""


Processes = dict[tuple[int, int], Process]
"""By number and start time: a number comes again, both do not."""


class Foreign(NamedTuple):
    """What others used between two looks."""

    cpu: dict[str, float]
    """CPU-seconds by name."""
    moved: dict[str, float]
    """Bytes by name."""
    kernel: float
    """CPU-seconds of kernel threads, which work for everybody: they are nobody's here."""
    companions: float = 0.0
    """CPU-seconds of processes that belong to the trial."""


def read_processes(root: Path = Path("/proc")) -> Processes:
    """Every process now; none where /proc cannot be read. A look costs some 15 µs a process."""
    found: Processes = {}
    place = str(root)
    try:
        numbers = [name for name in os.listdir(place) if name.isdigit()]  # noqa: PTH208 - fast
    except OSError:
        return found
    for number in numbers:
        try:
            born, process = parse_process_stat(_read(f"{place}/{number}/stat"))
            if not process.kernel:
                process = process._replace(moved=_moved(f"{place}/{number}/io"))
            found[int(number), born] = process
        except (OSError, ValueError, IndexError):
            continue  # gone meanwhile
    return found


def parse_process_stat(stat: bytes) -> tuple[int, Process]:
    """Start time and counters of /proc/PID/stat; bytes moved are told elsewhere, and 0 here.

    Raises:
        ValueError: it is no such text.
        IndexError: it is cut short.
    """
    name, _, rest = stat.partition(b"(")[2].rpartition(b")")
    words = rest.split()
    return int(words[_BORN]), Process(
        name=_plain(name),
        parent=int(words[_PARENT]),
        kernel=bool(int(words[_FLAGS]) & _PF_KTHREAD),
        own=sum(map(int, words[_OWN])),
        reaped=sum(map(int, words[_REAPED])),
        moved=0,
    )


def bytes_moved(io: bytes) -> int:
    """Bytes read from and written to block devices, by the text of /proc/PID/io."""
    return sum(int(line.split()[1]) for line in io.splitlines() if line.startswith(_MOVED))


def _read(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, _LARGEST)
    finally:
        os.close(handle)


def _moved(path: str) -> int | None:
    try:
        text = _read(path)
    except OSError:
        return None
    return bytes_moved(text)


def _plain(name: bytes) -> str:
    return "".join(c if c.isprintable() else "?" for c in name.decode("utf-8", "replace"))


def used_between(
    before: Processes, after: Processes, *, own: int, companions: frozenset[str] = frozenset()
) -> Foreign:
    """What processes other than `own` (a number) and its children that ended did in between.

    `companions` are names of processes that belong to the trial.
    """
    known = _with_gone(before, after)
    heirs = _ancestors(after, own) | {1}
    cpu: dict[str, float] = {}
    moved: dict[str, float] = {}
    kernel, belonging = 0.0, 0.0
    for key, process in after.items():
        then = known.get(key)
        spent = process.own - (then.own if then else 0)
        if process.kernel:
            kernel += max(spent, 0) * TICK
            continue
        if key[0] == own:
            continue
        if key[0] not in heirs:
            spent += process.reaped - (then.reaped if then else 0)
        if process.name[:15] in companions:
            belonging += max(spent, 0) * TICK
            continue
        if key[0] not in heirs:
            done = (process.moved or 0) - ((then.moved or 0) if then else 0)
            _add(moved, process.name, done)
        _add(cpu, process.name, spent * TICK)
    return Foreign(cpu, moved, kernel, belonging)


def _add(sums: dict[str, float], name: str, amount: float) -> None:
    if amount > 0:
        sums[name] = sums.get(name, 0.0) + amount


def _with_gone(before: Processes, after: Processes) -> Processes:
    """The processes before, each with what those had used by then that it has inherited since.

    A process that ended meanwhile hands all it ever used to its parent, also what it had used
    before the first look; and if that ended too, to the parent's parent.
    """
    known = dict(before)
    places = {key[0]: key for key in before}
    for key in before.keys() - after.keys():
        gone = before[key]
        heir = places.get(gone.parent)
        for _ in before:  # no further than there are processes: a table read slowly may hold loops
            if heir is None or heir in after:
                break
            heir = places.get(before[heir].parent)
        if heir is not None and heir in after:
            one = known[heir]
            known[heir] = one._replace(
                reaped=one.reaped + gone.own + gone.reaped,
                moved=None if one.moved is None else one.moved + (gone.moved or 0),
            )
    return known


def _ancestors(processes: Processes, number: int) -> frozenset[int]:
    """The numbers of a process's parent, its parent's parent and so on."""
    parents = {key[0]: one.parent for key, one in processes.items()}
    found: list[int] = []
    while (number := parents.get(number, 0)) and number not in found:
        found.append(number)
    return frozenset(found)


def in_container(namespace: Path = _NAMESPACE) -> bool:
    """Whether processes may run here that /proc does not show; also where nobody can tell."""
    try:
        return os.readlink(namespace) != INITIAL_NAMESPACE  # noqa: PTH115 - a name, no path
    except OSError:
        return True


def blind_spots(processes: Processes, namespace: Path = _NAMESPACE) -> str:
    """What of other processes cannot be seen from here; empty where all can."""
    if in_container(namespace):
        return (
            "other processes' work: the gate runs in a container and sees only those in it; of "
            "the others it sees the processor time that nothing else explains"
        )
    if all(key[0] != 1 for key in processes):
        return "other users' processes: /proc hides them"
    if any(one.moved is None and key[0] != 1 for key, one in processes.items()):
        return "other users' block I/O: only root may know it"
    return ""
