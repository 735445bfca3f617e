"""What a guest told: proofs, how its steps ended, and the symbols of its modules."""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass, field

from gate.vm.notes import build_id_in

_LONGEST = 1 << 26


@dataclass(slots=True)
class Answers:
    """The records of one boot; what is missing was never told."""

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
        _proof(found, word, rest)
        _course(found, word, *rest.partition(" ")[::2])
    return found


def _proof(found: Answers, word: str, rest: str) -> None:
    match word:
        case "release":
            found.releases.append(rest)
        case "version":
            found.versions.append(rest)
        case "at":
            found.at = rest
        case "notes":
            found.build_ids.append(build_id_in(_hex(rest)))


def _course(found: Answers, word: str, first: str, second: str) -> None:
    match word:
        case "module":
            found.modules[first] = build_id_in(_hex(second))
        case "refused":
            found.refused = first, _decoded(second)
        case "symbols":
            found.symbols = _unpacked(second)
        case "end":
            found.ended = first == "0"
        case "step":
            name, _, status = first.partition("=")
            if status.isdigit():
                found.steps[name] = int(status), _decoded(second)


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _decoded(text: str) -> str:
    return _plain(text).decode("utf-8", "replace")


def _unpacked(text: str) -> str:
    try:
        return zlib.decompressobj(31).decompress(_plain(text), _LONGEST).decode("ascii", "replace")
    except zlib.error:
        return ""


def _plain(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
