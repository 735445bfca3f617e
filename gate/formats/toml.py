"""TOML and JSON text: parsed with distrust, the line of a key in it, and values as TOML.

Files from other machines are hostile, so what no honest file has is refused before anything is
made of it. The parsers forget lines: a text is scanned once more where there is something to
complain about. A path is a tuple of keys and list positions.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST = 20
_MOST_ENTRIES = 200_000
"""Of a list, and of a table that a person wrote."""
_MOST_KEYS = 20_000
"""Of a table that a program wrote: a key per field or fact, or per benchmark, of which a profile
has 10,000 at most. Every unknown one is a complaint, and complaints cost memory."""
_LONGEST_STRING = 100_000
_MOST_BRACKETS = 2_000_000
_MOST_COMMAS = 6_000_000
"""An honest file of 64 MiB has half of each. Python takes up to 100 bytes for what is 2 in it."""


def parse_toml(
    text: str, place: str, *, parse_float: Callable[[str], Any] = float
) -> dict[str, Any]:
    """The tables of a TOML text; `parse_float` makes a number of the text of a float."""
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        message = _reason(error)
        line = message.rpartition("line ")[2].split(",")[0]
        where = f"{place}:{line}" if line.isdigit() else place
        what = f"not TOML: {message.split(' (at ')[0]}."
        raise InputError("G204", what, cure="Mend this line.", place=where) from error


def parse_json(text: str, place: str) -> Any:
    """Any JSON value, with NaN, infinities, doubled keys and absurd depth or number refused."""
    # Before a parser makes objects of it.
    for what, most in (("[", _MOST_BRACKETS), ("{", _MOST_BRACKETS), (",", _MOST_COMMAS)):
        count = text.count(what)
        if count > most:
            crowd = f"{count} times {what!r} is more than the {most} allowed"
            raise _not_usable(crowd, "G205", place)
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"{place}:{error.lineno}"
        raise _not_json(error.msg, where) from error
    except (RecursionError, ValueError) as error:
        raise _not_json(_reason(error), place) from error


def _reason(error: ValueError | RecursionError) -> str:
    """What a parser said, in words that help; Python's own limits are not the reader's."""
    if isinstance(error, RecursionError):
        return "nested too deep"
    text = str(error)
    return "a number has too many digits" if "set_int_max_str_digits" in text else text


def _not_json(what: str, place: str) -> InputError:
    cure = "Write the file anew with the command that made it."
    return InputError("G205", f"not JSON: {what}.", cure=cure, place=place)


def _not_usable(what: str, code: str, place: str) -> InputError:
    cure = "No file that the gate understands needs that."
    return InputError(code, f"cannot be used: {what}.", cure=cure, place=place)


def _refuse_constant(name: str) -> float:
    message = f"{name} is not a number that can be judged"
    raise ValueError(message)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        doubled = Counter(key for key, _ in pairs).most_common(1)[0][0]
        message = f'the key "{doubled[:80]}" stands twice'
        raise ValueError(message)
    return found


def refuse_absurd(data: Any, place: str, kind: str) -> None:
    """Refuse parsed data of a size, depth or text that no honest file has."""
    what = _absurdity(data, _MOST_ENTRIES if kind == "toml" else _MOST_KEYS)
    if what:
        raise _not_usable(what, "G204" if kind == "toml" else "G205", place)


def _absurdity(data: Any, keys: int) -> str | None:
    """What is absurd about parsed data, if anything is; `keys` are the most of one table."""
    level = [data]
    for _ in range(_DEEPEST):
        following: list[Any] = []
        for item in level:
            what = _absurd_text(item) if isinstance(item, str) else None
            most = keys if isinstance(item, dict) else _MOST_ENTRIES
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


def value(given: Any) -> str:
    """A text, a number, yes or no, a table by sorted keys, or a list of values, on one line.

    A float is the shortest text that reads back as the same.
    """
    if isinstance(given, str):
        # JSON's escapes are TOML's, but for DEL and lone surrogates.
        quoted = json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
        return quoted.encode("utf-8", "replace").decode("utf-8")
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, float):
        text = repr(float(given))
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    if isinstance(given, Mapping):
        inside = ", ".join(pairs({name: given[name] for name in sorted(given)}))
        return f"{{ {inside} }}" if inside else "{}"
    return str(given) if isinstance(given, int) else f"[{', '.join(map(value, given))}]"


def key(text: str) -> str:
    """A bare key where possible, else a quoted one."""
    return text if _BARE.fullmatch(text) else value(text)


def pairs(table: Mapping[str, Any]) -> list[str]:
    """`key = value` of each key, in the table's own order."""
    return [f"{key(name)} = {value(given)}" for name, given in table.items()]
