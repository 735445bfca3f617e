"""How long the strings of a session may be, and how large its numbers.

What came from another machine is shown somewhere, and calculated with: a value at the end of what
a float holds makes an infinity of the next sum.

Sizes and characters that no honest file has: files from other machines are hostile.
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.formats.toml import Path


NAME = 500
"""As the names of benchmarks in a profile."""
TEXT = 4000
FACT = 10_000
"""A fact of the host or the subject: the kernel's command line is one, a path another."""

_LARGEST_COUNT = 1 << 63
_LARGEST = 1e100
"""Of a measured number, in any unit; the inverse is the smallest that is not zero."""

_NAMES = frozenset(
    {
        *("id", "profile", "profile_digest", "harness", "version", "host_class", "fingerprint"),
        *("benchmark", "metric", "name", "unit", "of", "over", "group", "members", "without"),
        *("boot", "started", "ended", "loud", "kind", "commit", "proof", "tuned", "source"),
    }
)
_FACTS = frozenset({"stable", "epoch", "live", "description"})


def complaints(value: Any) -> Iterator[tuple[Path, str]]:
    """Every string in a frozen value of the model that is too long, every number too large."""
    return _in(value, (), TEXT, _excess)


def row_complaints(row: Any) -> Iterator[tuple[Path, str]]:
    """The same for what a report was calculated to be: only what no rendering can show.

    Names are made of names there, and numbers of numbers, so neither has the limits of a session.
    """
    return _in(row, (), FACT, _unshowable)


def _in(
    value: Any, path: Path, most: int, excess: Callable[[str | float, int], str]
) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str | int | float):
        what = excess(value, most)
        if what:
            yield path, what
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from _in(item, (*path, i), most, excess)
    elif isinstance(value, dict):
        for key, item in value.items():
            if len(key) > NAME:
                yield path, f"a key of {len(key)} characters is longer than the {NAME} allowed"
            yield from _in(item, (*path, key), most, excess)
    elif is_dataclass(value) and not isinstance(value, type):
        for name, limit in _limits(type(value)):
            yield from _in(getattr(value, name), (*path, name), limit, excess)


def _unshowable(value: str | float, _: int) -> str:
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value:g} is not a finite number"
    return _excess(value, FACT)


def _excess(value: str | float, most: int) -> str:
    """What is too much about a string or a number; empty where nothing is."""
    if isinstance(value, str):
        too_long = f"{len(value)} characters are more than the {most} allowed"
        return too_long if len(value) > most else ""
    if isinstance(value, int):
        return "no count is as large as that" if abs(value) > _LARGEST_COUNT else ""
    plain = value == 0 or 1 / _LARGEST <= abs(value) <= _LARGEST
    return "" if plain else f"{value:g} is no number that anything measures"


@cache
def _limits(kind: type[Any]) -> tuple[tuple[str, int], ...]:
    """Each field of a kind of value, and how long a string in it may be."""
    names = [field.name for field in fields(kind)]
    return tuple(
        (name, NAME if name in _NAMES else FACT if name in _FACTS else TEXT) for name in names
    )


_DEEPEST = 20
MOST_ENTRIES = 200_000
"""Of a list, and of a table that a person wrote."""
MOST_KEYS = 20_000
"""Of a table that a program wrote: a key per field or fact, or per benchmark, of which a profile
has 10,000 at most. Every unknown one is a complaint, and complaints cost memory."""
_LONGEST_STRING = 100_000
_MOST_BRACKETS = 2_000_000
_MOST_COMMAS = 6_000_000
"""An honest file of 64 MiB has half of each. Python takes up to 100 bytes for what is 2 in it."""


def find_crowding(text: str) -> str | None:
    """What a JSON text holds too many of, if anything: told before a parser makes objects of it."""
    for what, most in (("[", _MOST_BRACKETS), ("{", _MOST_BRACKETS), (",", _MOST_COMMAS)):
        count = text.count(what)
        if count > most:
            return f"{count} times {what!r} is more than the {most} allowed"
    return None


def absurdity(data: Any, *, keys: int = MOST_KEYS) -> str | None:
    """What is absurd about parsed data, if anything is; `keys` are the most of one table."""
    level = [data]
    for _ in range(_DEEPEST):
        following: list[Any] = []
        for item in level:
            what = _absurd_text(item) if isinstance(item, str) else None
            most = keys if isinstance(item, dict) else MOST_ENTRIES
            if isinstance(item, dict | list) and len(item) > most:
                what = f"a table or list has {len(item)} entries"
            if what:
                return what
            if isinstance(item, dict):
                following += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                following += item
        if not following:
            return None
        level = following
    return f"nested more than {_DEEPEST} deep"


def _absurd_text(text: str) -> str | None:
    if len(text) > _LONGEST_STRING:
        return f"a string has {len(text)} characters"
    if "\0" in text:
        return "a string holds a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "a string holds half a surrogate pair, which is no text"
    return None
