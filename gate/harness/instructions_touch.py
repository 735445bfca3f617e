"""What of a change one trial executed: the functions that differ, counted on this side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import MOST_CHANGED, Ran, Touch
from gate.vm.changes import executed
from gate.vm.symbols import Symbols

if TYPE_CHECKING:
    from gate.model import Changes
    from gate.vm.changes import Executed
    from gate.vm.counts import Interval


def touch(
    changes: Changes, short: Interval, long: Interval, operations: tuple[int, int], symbols: str
) -> Touch:
    """What both runs of a trial executed of what differs."""
    known = Symbols(symbols)
    functions = changes.functions
    unknown = changes.unknown
    if functions and "" not in known.owners():
        unknown = "; ".join(filter(None, (unknown, "the guest told no function of its kernel")))
    few, many = (executed(run.blocks, known, functions) for run in (short, long))
    more = operations[1] - operations[0]
    ran = {name: _ran(few.get(name), many.get(name), more) for name in {**few, **many}}
    order = sorted(ran, key=lambda name: (-ran[name].instructions, name))
    return Touch(
        count=len(functions),
        functions={name: functions[name] for name in _told(functions, order)},
        executed=len(ran),
        ran={name: ran[name] for name in order[:MOST_CHANGED]},
        unknown=unknown,
        identical=changes.identical,
    )


def _ran(few: Executed | None, many: Executed | None, more: int) -> Ran:
    short, long = (one.instructions if one else 0 for one in (few, many))
    return Ran(
        instructions=float(long or short),
        per_operation=max(0.0, (long - short) / more),
        shared=any(one.shared for one in (few, many) if one),
    )


def _told(functions: dict[str, str], order: list[str]) -> list[str]:
    """Names to keep: those that ran before the others."""
    rest = (name for name in sorted(functions) if name not in set(order))
    return [*order, *rest][:MOST_CHANGED]
