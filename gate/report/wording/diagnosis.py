"""The wording of what moved with a regression (a hint, and called one) and of patch coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.context.patch_coverage import figures
from gate.text import shorten
from gate.units import percent, show_pair

if TYPE_CHECKING:
    from gate.model import Report, Touched, TouchedFunction
    from gate.model.diagnosis import Mover, Why

TITLE = "What moved with it"
_IN_SENTENCE = 3
_LONGEST = 80


def movers(why: Why) -> str:
    """The first three: `context switches 2.010 -> 6.120 for each I/O, ...; a hint from 3 + 3 runs`.

    Empty where nothing was counted.
    """
    if not why.compared:
        return "; ".join(why.notes[:1])
    runs = f"{why.runs_base} + {why.runs_head} extra runs"
    if not why.movers:
        return f"none of {why.compared} counters of the kernel moved clearly in {runs}"
    moves = ", ".join(
        f"{shorten(one.counter, _LONGEST)} {show_pair(one.base, one.head, one.unit)}"
        for one in why.movers[:_IN_SENTENCE]
    )
    return f"{moves} {per(why)}; a hint from {runs}, not part of the verdict"


def per(why: Why) -> str:
    """`for each I/O`, `per second`."""
    return "per second" if why.per == "second" else f"for each {why.per}"


def count_text(why: Why) -> str:
    """What a table of movers is of, and how much to believe of it."""
    return (
        f"A hint, not part of the verdict: of {why.compared} counters of the kernel "
        f"those that lie farthest apart, {per(why)}. Medians of {why.runs_base} + {why.runs_head} "
        "extra runs; distance is that of the medians over the spread of the runs, at most 100. "
        "The runs are few, and what moves along need not be the cause."
    )


def change(base: float, head: float) -> str:
    """`+12.1 %`; `new` and `gone` where a side had none."""
    if base <= 0:
        return "new" if head > 0 else ""
    return percent(head / base - 1) if head > 0 else "gone"


def sides(mover: Mover) -> tuple[str, str]:
    """Both values in one unit."""
    base, _, head = show_pair(mover.base, mover.head, mover.unit).partition(" -> ")
    return base, head


def lines(report: Report) -> tuple[str, ...]:
    """A sentence for each profile that looked for it, named where there are others."""
    many = len(report.profiles) > 1
    return tuple(
        f"{one.profile}: {one.headline}" if many else one.headline for one in report.touched
    )


def title(report: Report, coverage: Touched) -> str:
    """Above the functions of a profile."""
    name = "Functions that the change changed"
    return f"{name}, {coverage.profile}" if len(report.profiles) > 1 else name


def function(one: TouchedFunction) -> str:
    """`null_handle_cmd [null_blk]: changed, executed: 52 -> 102 instructions per operation`."""
    return f"{one.name}: {one.how}, {ran(one)}"


def ran(one: TouchedFunction) -> str:
    """Whether it was executed, and what that cost."""
    return f"executed: {figures(one)}" if one.executed else "not executed"
