"""Sizes and characters that no honest file has: files from other machines are hostile."""

from __future__ import annotations

from typing import Any

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


def crowding(text: str) -> str | None:
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
