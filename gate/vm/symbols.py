"""From addresses to functions, by what the guest said of its kernel and modules."""

from __future__ import annotations

import bisect
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNKNOWN = "unknown"
_CODE = frozenset("tTwW")


class Symbols:
    """Functions by their first address, in order."""

    def __init__(self, text: str) -> None:
        """Lines `ADDRESS TYPE NAME [MODULE]`, as /proc/kallsyms has them."""
        known = sorted(_lines(text))
        self._addresses = [address for address, _ in known]
        self._names = [name for _, name in known]

    def name(self, address: int) -> str:
        """The function that an address lies in."""
        at = bisect.bisect_right(self._addresses, address) - 1
        return self._names[at] if at >= 0 else UNKNOWN


def by_function(blocks: Mapping[int, int], symbols: Symbols) -> dict[str, int]:
    """Instructions by function."""
    found: Counter[str] = Counter()
    for address, count in blocks.items():
        found[symbols.name(address)] += count
    return dict(found)


def _lines(text: str) -> Iterable[tuple[int, str]]:
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 3 and words[1] in _CODE:  # noqa: PLR2004 - address, type, name
            try:
                address = int(words[0], 16)
            except ValueError:
                continue
            if address:
                yield address, " ".join(words[2:4])
