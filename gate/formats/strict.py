"""Strict reading of what another program wrote: every surprise is one plain sentence.

The text may be cut off, of another version or hostile. Nothing here lets a KeyError, a NaN or
a terminal escape out: the only way to fail is `TrialFailed`.
"""

from __future__ import annotations

import json
import math
import os
import stat
from typing import TYPE_CHECKING, NoReturn

from gate.errors import TrialFailed

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_EXPORT = 64 * 2**20
"""Bytes of an export file that are read; a larger one is refused."""
LONGEST_QUOTE = 300
"""Characters of foreign text that a message may repeat."""


def quote(text: str) -> str:
    """Foreign text made safe to show: printable characters only, one line, capped."""
    shown = "".join(char if char.isprintable() else " " for char in text[: 4 * LONGEST_QUOTE])
    shown = " ".join(shown.split())
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[: LONGEST_QUOTE - 1]}…"


def safe_text(value: object) -> str:
    """Make a foreign value safe to show; what is no plain value is not spelled out."""
    if isinstance(value, str | int | float) or value is None:
        return quote(str(value))
    return "something that is no plain value"


def last_line(text: str) -> str:
    """Find the last line that says something, made safe to show; empty when there is none."""
    lines = [line for line in text[-65536:].splitlines() if line.strip()]
    return quote(lines[-1]) if lines else ""


def _refuse_constant(token: str) -> NoReturn:
    message = f"it holds {token} in place of a number"
    raise TrialFailed(message)


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
"""A JSON decoder that refuses NaN and Infinity."""


def document(text: str, what: str) -> object:
    """Read the JSON value that `text` holds.

    Raises:
        TrialFailed: it is empty, broken, cut off, nested too deep, or holds NaN or Infinity.
    """
    if not text.strip():
        raise TrialFailed(f"{what} is empty")
    try:
        return DECODER.decode(text)
    except TrialFailed as error:
        raise TrialFailed(f"{what} cannot be used: {error}") from None
    except (ValueError, RecursionError) as error:
        raise TrialFailed(f"{what} is not complete JSON: {quote(str(error))}") from None


def mapping(value: object, what: str) -> dict[str, object]:
    """`value`, which must be a JSON object."""
    if not isinstance(value, dict):
        raise TrialFailed(f"{what} is not a JSON object")
    return value


def items(value: object, what: str) -> list[object]:
    """`value`, which must be a JSON array."""
    if not isinstance(value, list):
        raise TrialFailed(f"{what} is not a JSON array")
    return value


def text_of(value: object, what: str) -> str:
    """`value`, which must be a string that is not empty."""
    if not isinstance(value, str) or not value:
        raise TrialFailed(f"{what} is not a text")
    return value


def name_of(value: object, what: str) -> str:
    """`value`, which must be a text that can name something as it stands, uncut and unescaped."""
    name = text_of(value, what)
    if not name.isprintable() or len(name) > LONGEST_QUOTE:
        raise TrialFailed(f"{what} cannot be used as a name: {quote(name)}")
    return name


def finite(value: object, what: str) -> float:
    """`value`, which must be a finite number (true and false are none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TrialFailed(f"{what} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise TrialFailed(f"{what} is not a finite number")
    return number


def count(value: object, what: str) -> int:
    """`value`, which must be a whole number, zero or more."""
    number = finite(value, what)
    if number < 0 or number != int(number):
        raise TrialFailed(f"{what} is not a count")
    return int(number)


def export(path: Path, what: str, *, empty: bool = False) -> str:
    """Read an export file that a program was told to write; it may be `empty` where that says so.

    Raises:
        TrialFailed: it is missing, empty, no plain file, or too large.
    """
    try:
        # No symlink and no pipe: the program under test may have put something there.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise TrialFailed(f"{what} left something that is no plain file as its export")
            data = file.read(LARGEST_EXPORT + 1)
    except FileNotFoundError:
        raise TrialFailed(f"{what} ended without writing its export") from None
    except OSError as error:
        raise TrialFailed(f"the export of {what} cannot be read: {error.strerror}") from None
    if len(data) > LARGEST_EXPORT:
        raise TrialFailed(f"the export of {what} is larger than {LARGEST_EXPORT // 2**20} MiB")
    if not empty and not data.strip():
        raise TrialFailed(f"{what} left an empty export")
    return data.decode("utf-8", errors="replace")
