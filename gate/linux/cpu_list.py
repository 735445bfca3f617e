"""Lists and masks of processors, as the kernel writes and reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CPU = "/sys/devices/system/cpu"
_MOST_PROCESSORS = 1 << 13
_GROUP = 8
"""Hexadecimal digits between two commas of a mask."""


def cpus_of(text: str) -> frozenset[int]:
    """`0-2,5` as numbers; none for an empty text.

    Raises:
        ValueError: the text is no such list, or names more processors than Linux can have.
    """
    found: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        each = range(int(first), int(last or first) + 1)
        if each.stop > _MOST_PROCESSORS:
            message = f"no machine has a processor {each.stop - 1}"
            raise ValueError(message)
        found.update(each)
    return frozenset(found)


def cpu_numbers(listed: str) -> tuple[int, ...]:
    """A kernel's list such as `0-3,8`, in order; empty where it is none."""
    try:
        return tuple(sorted(cpus_of(listed)))
    except ValueError:
        return ()


def cpu_list_text(cpus: Iterable[int]) -> str:
    """`0-2,5`: ranges where numbers follow each other."""
    parts: list[list[int]] = []
    for one in sorted(set(cpus)):
        if parts and one == parts[-1][-1] + 1:
            parts[-1][1:] = [one]
        else:
            parts.append([one])
    return ",".join("-".join(map(str, part)) for part in parts)


def mask_cpus(text: str) -> frozenset[int]:
    """The processors of a mask such as `ff,00000003`.

    Raises:
        ValueError: the text is no mask.
    """
    number = int(text.strip().replace(",", ""), 16)
    return frozenset(bit for bit in range(number.bit_length()) if number >> bit & 1)


def cpus_mask(cpus: frozenset[int]) -> str:
    """A mask with a comma every 32 processors, without leading zeros."""
    digits = f"{sum(1 << one for one in cpus):x}"
    groups = [digits[max(end - _GROUP, 0) : end] for end in range(len(digits), 0, -_GROUP)]
    return ",".join(reversed(groups))
