"""What a guest reported: its records, the instructions that the plugin counted, its console.

The records hold proofs, how its steps ended, and the symbols of its modules; the counts are of the
kernel by block, and of programs; of a console that shows a fault the lines to quote.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field

from gate.linux.kernel_modules import build_id_in

_LONGEST = 1 << 26
_LONGEST_LINE = 160
_QUOTED = 3
_STAMP = re.compile(r"^\[\s*\d+\.\d+\]\s*(?:\[\s*[TC]\d+\]\s*)?")
_FAULTS = {
    "panicked": (r"Kernel panic - not syncing",),
    "has a fault of its own": (
        *(r"\bBUG: (?!KASAN|KFENCE|sleeping function)", r"\bOops: ", r"\bkernel BUG at\b"),
        *(r"general protection fault", r"Unable to handle kernel", r"\bUBSAN: "),
    ),
    "found a fault of memory": (r"\bBUG: KASAN", r"\bBUG: KFENCE", r"\bKCSAN: "),
    "found a fault of locking": (
        *(r"possible circular locking", r"possible recursive locking", r"bad unlock balance"),
        *(r"inconsistent lock state", r"suspicious RCU usage", r"BUG: sleeping function"),
    ),
    "stalled": (
        *(r"\brcu.*\bstall", r"soft lockup", r"hard LOCKUP", r"blocked for more than \d+ seconds"),
    ),
    "warned": (r"^WARNING: ",),
}
"""What a kernel does, by what it prints: lib/bug, kernel/{panic,rcu,locking,watchdog,hung_task},
mm/kasan of Linux 5.4 to 7.2."""
_PATTERNS = tuple((name, re.compile("|".join(some))) for name, some in _FAULTS.items())


@dataclass(slots=True)
class Answers:
    """The records of one boot; what is missing was never sent."""

    releases: list[str] = field(default_factory=list)
    """Before the trial and after it."""
    versions: list[str] = field(default_factory=list)
    build_ids: list[str] = field(default_factory=list)
    modules: dict[str, str] = field(default_factory=dict)
    """The build-id of each loaded module; empty where it has none."""
    refused: tuple[str, str] | None = None
    """A module that did not load, and what was said."""
    steps: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Exit status and output of each step that ended."""
    at: str = ""
    """The last that it began."""
    symbols: str = ""
    """Functions of the kernel and its modules, as /proc/kallsyms has them."""
    ended: bool = False
    """Whether it came to its end and powered off by itself."""


def read_answers(text: str) -> Answers:
    """The records of a guest; lines that are none are passed over."""
    found = Answers()
    for line in text[:_LONGEST].splitlines():
        word, _, rest = line.rstrip("\r").partition(" ")
        _record(found, word, rest)
    return found


def _record(found: Answers, word: str, rest: str) -> None:
    first, _, second = rest.partition(" ")
    name, _, status = first.partition("=")
    match word:
        case "release":
            found.releases.append(rest)
        case "version":
            found.versions.append(rest)
        case "at":
            found.at = rest
        case "notes":
            found.build_ids.append(build_id_in(_hex(rest), "<"))
        case "module":
            found.modules[first] = build_id_in(_hex(second), "<")
        case "refused":
            found.refused = first, _from_base64(second).decode("utf-8", "replace")
        case "symbols":
            found.symbols = _unpacked(second)
        case "end":
            found.ended = first == "0"
        case "step" if status.isdecimal():
            found.steps[name] = int(status), _from_base64(second).decode("utf-8", "replace")


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _unpacked(text: str) -> str:
    try:
        content = zlib.decompressobj(31).decompress(_from_base64(text), _LONGEST)
    except zlib.error:
        return ""
    return content.decode("ascii", "replace")


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


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
                raise ValueError(f"a line of the counts is {line[:40]!r}")
    return tuple(found)


def fault_of(console: str) -> str:
    """What a kernel did and the lines that say so; empty where its console shows no fault.

    A panic comes before what led to it, and the first of each kind is quoted.
    """
    lines = [_without_stamp(line) for line in console.splitlines()]
    for name, pattern in _PATTERNS:
        at = next((n for n, line in enumerate(lines) if pattern.search(line)), None)
        if at is not None:
            return f"the kernel {name}: {_quoted(lines[at : at + _QUOTED])}"
    return ""


def last_lines(console: str) -> str:
    """The last that was said."""
    lines = [line for line in map(_without_stamp, console.splitlines()) if line]
    return _quoted(lines[-_QUOTED:])


def _without_stamp(line: str) -> str:
    return "".join(c for c in _STAMP.sub("", line.strip()) if c.isprintable())


def _quoted(lines: list[str]) -> str:
    return " / ".join(line[:_LONGEST_LINE] for line in lines if line)
