"""Sizes and characters that no honest file has: files from other machines are hostile."""

from __future__ import annotations

from typing import Any

_DEEPEST = 20
_MOST_ENTRIES = 200_000
_LONGEST_STRING = 100_000


def absurdity(data: Any) -> str | None:
    """What is absurd about parsed data, if anything is."""
    level = [data]
    for _ in range(_DEEPEST):
        following: list[Any] = []
        for item in level:
            what = _absurd_text(item) if isinstance(item, str) else None
            if isinstance(item, dict | list) and len(item) > _MOST_ENTRIES:
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
