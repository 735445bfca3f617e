"""How what the kernel says becomes a fact: short, printable, `unknown` where it says nothing.

Stable and epoch facts come only out of files that everybody may read: neither the user's rights
nor the programs installed, nor their versions, change who a machine is.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from gate.host.machine import line
from gate.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.host.machine import Machine

LONGEST = 200
"""Characters of a fact."""
CPU = "/sys/devices/system/cpu"


def short(text: str) -> str:
    """A fact that can be printed; one too long ends in a hash, so that no change is lost."""
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(clean) > LONGEST:
        mark = hashlib.sha256(clean.encode()).hexdigest()[:8]
        clean = f"{clean[: LONGEST - 11]}… #{mark}"
    return clean or UNKNOWN


def told(machine: Machine, path: str) -> str:
    """What the first line of a file says."""
    return short(line(machine, path))


def chosen(text: str) -> str:
    """The one in brackets: `none [mq-deadline]` is `mq-deadline`; the whole text without any."""
    match = re.search(r"\[([^\]]+)\]", text)
    return match[1] if match else text


def together(values: Iterable[str]) -> str:
    """The facts of several parts as one: `2 x MODEL + OTHER`, in no order but the alphabet's."""
    counted = Counter(values)
    if set(counted) <= {UNKNOWN}:
        return UNKNOWN
    each = (one if n == 1 else f"{n} x {one}" for one, n in sorted(counted.items()))
    return short(" + ".join(each))


def alike(values: Iterable[str]) -> str:
    """One value where all agree, whatever their number; otherwise how many say what."""
    found = [one for one in values if one]
    return together(found if len(set(found)) > 1 else found[:1])


def numbered(machine: Machine, directory: str, stem: str) -> list[str]:
    """Names such as `cpu0`, `cpu1`, by number."""
    names = [one for one in machine.names(directory) if re.fullmatch(rf"{stem}[0-9]{{1,6}}", one)]
    return sorted(names, key=lambda one: int(one.removeprefix(stem)))


def count(ranges: str) -> int:
    """How many numbers are in a list of the kernel's: `0-3,8` is 5; 0 where it is no such list."""
    total = 0
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        if not re.fullmatch("[0-9]{1,6}", first) or (dash and not re.fullmatch("[0-9]{1,6}", last)):
            return 0
        total += int(last or first) - int(first) + 1
    return max(total, 0)
