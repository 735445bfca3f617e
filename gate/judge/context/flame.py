"""Two folded profiles laid together: one tree with both sides' times, bounded in size.

A sample stands for a piece of CPU time, and time is divided by the operations of its run, so
that a run that did more work is not redder for it. What is too narrow to be seen is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.model.diagnosis import (
    DEEPEST,
    MOST_CALLS,
    MOST_FRAMES,
    OTHERS,
    UNKNOWN,
    Call,
    Flame,
    Frame,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model.diagnosis import Folded

_NARROWEST = 0.003
"""Of the whole width, below which a frame is left out."""
_ROOT = "all"


@dataclass(slots=True)
class _Node:
    base: float = 0.0
    head: float = 0.0
    called: dict[str, _Node] = field(default_factory=dict)

    @property
    def both(self) -> float:
        return self.base + self.head

    def add(self, base: float, head: float) -> None:
        self.base += base
        self.head += head


def flame_of(base: Folded, head: Folded, *, by_operation: bool = True) -> Flame | None:
    """Both sides in one tree; none where a side has no sample."""
    samples = sum(base.stacks.values()), sum(head.stacks.values())
    if not all(samples):
        return None
    root, calls = _Node(), dict[str, _Node]()
    for folded, is_head in ((base, False), (head, True)):
        divisor = (folded.run.operations if by_operation else folded.run.seconds) or 1.0
        for stack, count in folded.stacks.items():
            cost = count * folded.every / divisor
            sides = (0.0, cost) if is_head else (cost, 0.0)
            _add(root, stack.split(";")[:DEEPEST], sides)
            calls.setdefault(_own(stack), _Node()).add(*sides)
    moved = sorted(calls.items(), key=lambda one: (-abs(one[1].head - one[1].base), one[0]))
    return Flame(
        event=base.event,
        samples_base=samples[0],
        samples_head=samples[1],
        frames=tuple(_frames(_ROOT, root, 0, _narrowest(root))),
        calls=tuple(
            Call(name=name, base=own.base, head=own.head)
            for name, own in _told(moved)
            if own.base != own.head
        ),
    )


def _told(moved: list[tuple[str, _Node]]) -> list[tuple[str, _Node]]:
    """Those that moved most; a third is kept for what ran before, which may be no part of it."""
    others = [one for one in moved if one[0].endswith(f"({OTHERS})")]
    own = [one for one in moved if not one[0].endswith(f"({OTHERS})")]
    few = others[: MOST_CALLS // 3]
    return [*own[: MOST_CALLS - len(few)], *few]


def _own(stack: str) -> str:
    """Whose time a sample is: its innermost frame; where that is unknown, with the command."""
    names = stack.split(";")
    apart = names[0] == OTHERS and len(names) > 1
    name = names[-1] if names[-1] != UNKNOWN else f"{UNKNOWN} of {names[int(apart)]}"
    return f"{name} ({OTHERS})" if apart else name


def _add(root: _Node, names: list[str], sides: tuple[float, float]) -> None:
    root.add(*sides)
    node = root
    for name in names:
        node = node.called.setdefault(name, _Node())
        node.add(*sides)


def _narrowest(root: _Node) -> float:
    """The width below which frames are left out, so that at most so many are left."""
    widths = sorted((node.both for node in _every(root)), reverse=True)
    least = _NARROWEST * root.both
    if len(widths) <= MOST_FRAMES:
        return least
    return max(least, widths[MOST_FRAMES] * (1 + 1e-9))


def _every(node: _Node) -> Iterator[_Node]:
    yield node
    for one in node.called.values():
        yield from _every(one)


def _frames(name: str, node: _Node, depth: int, narrowest: float) -> Iterator[Frame]:
    yield Frame(name=name, depth=depth, base=node.base, head=node.head)
    for inner, one in sorted(node.called.items()):
        if one.both >= narrowest:
            yield from _frames(inner, one, depth + 1, narrowest)
