"""Groups by their names: `x[iodepth=*]` is the curve of `x[iodepth=1]`, `x[iodepth=32]` and so on.

A baseline holds names only, so which accepted points a group was made of is read off theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.model import Planned


def place_of(plan: Planned, name: str) -> str | None:
    """The value of the swept parameter that a name stands for; None where it is no such point."""
    begin, star, end = plan.benchmark.partition(f"{plan.group}=*")
    opening = f"{begin}{plan.group}="
    if not star or not name.startswith(opening) or not name.endswith(end):
        return None
    return name[len(opening) : len(name) - len(end)] or None


def lost_points(plan: Planned, accepted: Iterable[str]) -> tuple[str, ...]:
    """Accepted points of a group that are none of its members any more."""
    if not plan.group:
        return ()
    return tuple(
        name
        for name in sorted(set(accepted) - {*plan.members, plan.benchmark})
        if place_of(plan, name) is not None
    )
