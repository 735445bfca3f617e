"""The wording of whether the workload executed the change; the same in every rendering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.touching import figures

if TYPE_CHECKING:
    from gate.model import Report, Touched, TouchedFunction

TITLE = "Functions that the change changed"


def lines(report: Report) -> tuple[str, ...]:
    """A sentence for each profile that looked for it, named where there are others."""
    many = len(report.profiles) > 1
    return tuple(
        f"{one.profile}: {one.headline}" if many else one.headline for one in report.touched
    )


def title(report: Report, told: Touched) -> str:
    """Above the functions of a profile."""
    return f"{TITLE}, {told.profile}" if len(report.profiles) > 1 else TITLE


def function(one: TouchedFunction) -> str:
    """`null_handle_cmd [null_blk]: changed, executed: 52 -> 102 instructions per operation`."""
    return f"{one.name}: {one.how}, {ran(one)}"


def ran(one: TouchedFunction) -> str:
    """Whether it was executed, and what that cost."""
    return f"executed: {figures(one)}" if one.executed else "not executed"


def rest(told: Touched, shown: int) -> int:
    """How many functions are not told by name after `shown` of them."""
    return max(0, told.count - shown)
