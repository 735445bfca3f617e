"""Processes that outlive the one that was measured.

Work that goes on after the measured process has ended was moved out of its window, and would be a
gain. What only takes a moment to end, such as the helper of a pool of workers, is none of that.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from gate.formats.strict import quote
from gate.linux.proc_stat import TICK
from gate.linux.processes import command_line, process_stat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOMENT, _LOOK = 0.5, 0.01
"""Seconds that a process has to end by itself, and between two looks at it."""
_WORK = 0.03
"""CPU-seconds in that time that are work, not the end of a process."""
_LONGEST_NAME = 100


class Stragglers(NamedTuple):
    """What outlived a process."""

    names: tuple[str, ...] = ()
    """Command lines of those that went on working, oldest first."""
    is_any: bool = False
    """Whether there was any, also one that ended at once: nobody knows what it used."""


def wait_for_stragglers(find: Callable[[], Iterable[int]]) -> Stragglers:
    """Sleep until what `find` gives has ended or shown that it works on, half a second at most."""
    names: dict[int, str] = {}
    first: dict[int, float] = {}
    working: set[int] = set()
    until, calm = time.monotonic() + _MOMENT, 0
    # One that forks and ends while it is looked at hides its child from that look.
    while calm < (2 if names else 1):
        left = sorted(find())
        calm = 0 if left else calm + 1
        for number in left:
            used = _cpu(number)
            names[number] = _name(number) or names.get(number, "?")  # one just forked may exec
            if used - first.setdefault(number, used) >= _WORK:
                working.add(number)
        if time.monotonic() >= until:
            working.update(left)
        if working:
            break
        if names:
            time.sleep(_LOOK)
    return Stragglers(tuple(names[one] for one in sorted(working)), bool(names))


def _cpu(number: int) -> float:
    stat = process_stat(number)
    return (stat.own + stat.reaped) * TICK if stat else 0.0


def _name(number: int) -> str:
    """Its command line, or the name that the kernel keeps, made safe; empty if it is gone."""
    stat = process_stat(number)
    return quote(command_line(number))[:_LONGEST_NAME] or (stat.name if stat else "")
