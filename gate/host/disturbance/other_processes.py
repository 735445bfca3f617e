"""What processes outside a trial did meanwhile: processor time and block I/O, by name.

Every process is looked at before a trial and after it, never during one. The kernel adds what a
process used to its parent once that waited for it, so that children that lived and died in between
are seen through a parent that lives on. Two kinds of parents show nothing: this process, whose
children are the trial, and whoever may inherit the trial's orphans (process 1 and our own
ancestors). What only those could show is unseen here.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gate.linux.proc_stat import TICK
from gate.linux.processes import NOBODY, in_container

if TYPE_CHECKING:
    from gate.linux.processes import Processes


class ForeignWork(NamedTuple):
    """What others used between two looks."""

    cpu: dict[str, float]
    """CPU-seconds by name."""
    moved: dict[str, float]
    """Bytes by name."""
    kernel: float
    """CPU-seconds of kernel threads, which work for everybody: they are nobody's here."""
    companions: float = 0.0
    """CPU-seconds of processes that belong to the trial."""


def used_between(
    before: Processes, after: Processes, *, own: int, companions: frozenset[str] = frozenset()
) -> ForeignWork:
    """What processes other than `own` (a number) and its children that ended did in between.

    `companions` are names of processes that belong to the trial.
    """
    known = _with_gone(before, after)
    heirs = _ancestors(after, own) | {1}
    cpu: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    kernel, belonging = 0, 0
    for key, process in after.items():
        then, heir = known.get(key, NOBODY), key[0] in heirs
        spent = process.own - then.own + (0 if heir else process.reaped - then.reaped)
        if process.kernel:
            kernel += max(process.own - then.own, 0)
        elif key[0] == own:
            continue
        elif process.name[:15] in companions:
            belonging += max(spent, 0)
        else:
            cpu[process.name] += max(spent, 0)
            moved[process.name] += 0 if heir else max((process.moved or 0) - (then.moved or 0), 0)
    return ForeignWork(
        {name: ticks * TICK for name, ticks in cpu.items() if ticks},
        {name: float(amount) for name, amount in moved.items() if amount},
        kernel * TICK,
        belonging * TICK,
    )


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
    parents = {key[0]: one.parent for key, one in processes.items()}
    found: list[int] = []
    while (number := parents.get(number, 0)) and number not in found:
        found.append(number)
    return frozenset(found)


def blind_spots(processes: Processes, *, contained: bool | None = None) -> str:
    """What of other processes cannot be seen from here; empty where all can."""
    if in_container() if contained is None else contained:
        return (
            "other processes' work: the gate runs in a container and sees only those in it; of "
            "the others it sees the processor time that nothing else explains"
        )
    if all(key[0] != 1 for key in processes):
        return "other users' processes: /proc hides them"
    if any(one.moved is None and key[0] != 1 for key, one in processes.items()):
        return "other users' block I/O: only root may know it"
    return ""
