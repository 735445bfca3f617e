"""From addresses to functions, by what the guest said of its kernel and modules."""

from __future__ import annotations

import bisect
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

UNKNOWN = "unknown"
_CODE = frozenset("tTwW")


class Symbols:
    """Functions by their first address, in order."""

    def __init__(self, text: str) -> None:
        """Lines `ADDRESS TYPE NAME [MODULE]`, as /proc/kallsyms has them."""
        known = sorted(_lines(text))
        self._addresses = [address for address, _ in known]
        self._names = [name for _, name in known]

    def _at(self, address: int) -> int:
        return bisect.bisect_right(self._addresses, address) - 1

    def name(self, address: int) -> str:
        """The function that an address lies in."""
        at = self._at(address)
        return self._names[at] if at >= 0 else UNKNOWN

    def start(self, address: int) -> int:
        """Where the function begins that an address lies in; 0 where there is none."""
        at = self._at(address)
        return self._addresses[at] if at >= 0 else 0

    def starts(self, names: Collection[str]) -> dict[int, set[str]]:
        """Which of these names begin where; a part set apart as cold counts as its function."""
        found: dict[int, set[str]] = {}
        for address, name in zip(self._addresses, self._names, strict=True):
            if whole(name) in names:
                found.setdefault(address, set()).add(whole(name))
        return found

    def shared(self, names: Collection[str]) -> set[str]:
        """Those of these names that several functions have."""
        pairs = set(zip(self._addresses, self._names, strict=True))
        count = Counter(name for _, name in pairs)
        return {name for name in names if count[name] > 1}

    def owners(self) -> set[str]:
        """The modules that have functions here; an empty name stands for the kernel itself."""
        return {name.partition(" ")[2].strip("[]") for name in self._names}


def whole(name: str) -> str:
    """A function's name, also where this is the part of it that is hardly ever reached."""
    plain, space, module = name.partition(" ")
    return plain.removesuffix(".cold") + space + module


def by_function(blocks: Mapping[int, int], symbols: Symbols) -> dict[str, int]:
    """Instructions by function."""
    found: Counter[str] = Counter()
    for address, count in blocks.items():
        found[symbols.name(address)] += count
    return dict(found)


def _lines(text: str) -> Iterable[tuple[int, str]]:
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 3 and words[1] in _CODE:
            try:
                address = int(words[0], 16)
            except ValueError:
                continue
            if address:
                yield address, " ".join(words[2:4])
