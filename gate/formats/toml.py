"""Where in a file a key stands: dotted path to line number, for messages.

The parsers of TOML and JSON forget lines, so the text is scanned once more, and only when there
is something to complain about. A path is a tuple of keys and list positions.

Values as TOML text. Floats keep every digit, strings every character.
"""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


Path = tuple[str | int, ...]

_WORD = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"({_WORD}(?:[ \t]*\.[ \t]*{_WORD})*)"
_HEADER = re.compile(rf"(\[\[?)[ \t]*{_DOTTED}[ \t]*\]")
_KEY = re.compile(rf"{_DOTTED}[ \t]*=")
_PART = re.compile(_WORD)


def toml_line(text: str, path: Path) -> int:
    """Line (from 1) of the deepest part of `path` that has a line; 1 if none has.

    A table without a line of its own stands where the first thing in it does.
    """
    best, best_depth = 1, 0.0
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line.lstrip())
        key = None if header else _KEY.match(line.lstrip())
        if header:
            table = _parts(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            here = table
        elif key:
            here = (*table, *_parts(key[1]))
        else:
            continue
        depth: float = len(here)
        if depth > len(path) > 0 and here[: len(path)] == path:
            here, depth = path, len(path) - 0.5
        if depth > best_depth and path[: len(here)] == here:
            best, best_depth = number, depth
    return best


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


_SPACE = re.compile(r"[\s,:]*")
_SCALAR = re.compile(r"[^\s,\]}]+")


def json_line(text: str, path: Path) -> int:
    """Line (from 1) of the value at `path` in a JSON text that parses; nearest parent if absent."""
    best = 0
    stack: list[tuple[str, str | int]] = []
    position = 0
    while position < len(text):
        position = _SPACE.match(text, position).end()  # type: ignore[union-attr]
        if position >= len(text):
            break
        here = tuple(key for _, key in stack)
        if here and path[: len(here)] == here and text[position] not in "]}":
            best = position
            if here == path:
                break
        position = _step(text, position, stack)
    return text.count("\n", 0, best) + 1


def _step(text: str, position: int, stack: list[tuple[str, str | int]]) -> int:
    """Take one token; the stack holds what we are inside of and the key or position there."""
    char = text[position]
    if char in "[{":
        stack.append((char, 0 if char == "[" else ""))
        return position + 1
    if char in "]}":
        stack.pop()
        _next_item(stack)
        return position + 1
    if char == '"':
        word, end = scanstring(text, position + 1)
        if stack and stack[-1] == ("{", ""):
            stack[-1] = ("{", word)
        else:
            _next_item(stack)
        return int(end)
    scalar = _SCALAR.match(text, position)
    _next_item(stack)
    return scalar.end() if scalar else position + 1


def _next_item(stack: list[tuple[str, str | int]]) -> None:
    if stack:
        kind, key = stack[-1]
        stack[-1] = (kind, key + 1 if isinstance(key, int) else "")


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def string(text: str) -> str:
    """A basic string; JSON's escapes are TOML's, but for DEL and lone surrogates."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return quoted.encode("utf-8", "replace").decode("utf-8")


def key(text: str) -> str:
    """A bare key where possible, else a quoted one."""
    return text if _BARE.fullmatch(text) else string(text)


def number(value: float) -> str:
    """The shortest text that reads back as the same float."""
    text = repr(float(value))
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def inline(table: Mapping[str, str]) -> str:
    """`{ a = "x", b = "y" }`, keys sorted."""
    inside = ", ".join(f"{key(name)} = {string(table[name])}" for name in sorted(table))
    return f"{{ {inside} }}" if inside else "{}"


def array(items: Iterable[str]) -> str:
    """`[1, 2]` of ready texts."""
    return f"[{', '.join(items)}]"
