"""What the plugin counted: instructions of the kernel by block, and those of programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One stretch between two marks."""

    kernel: int
    programs: int
    blocks: dict[int, int]
    """Instructions by the address of the block they belong to, the kernel's alone."""


def read_counts(text: str) -> tuple[Interval, ...]:
    """Every stretch that came to its end, in order.

    Raises:
        ValueError: a line is none that the plugin writes.
    """
    found: list[Interval] = []
    blocks: Counter[int] = Counter()
    for line in text.splitlines():
        match line.split():
            case ["begin"]:
                blocks = Counter()
            case ["block", address, count]:
                blocks[int(address, 16)] += int(count)
            case ["end", kernel, programs]:
                found.append(
                    Interval(kernel=int(kernel), programs=int(programs), blocks=dict(blocks))
                )
            case _:
                message = f"a line of the counts is {line[:40]!r}"
                raise ValueError(message)
    return tuple(found)
