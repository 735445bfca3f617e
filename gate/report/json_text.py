"""`report.json`: the report as it is, for programs. Field names are those of the model."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from json.encoder import encode_basestring
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.model import Report

_UNSAFE = re.compile(r"[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def render_json(report: Report) -> str:
    r"""The whole report, nothing rounded, nothing left out.

    Characters that could steer a terminal are written as `\u` escapes: the same string to a
    parser, harmless to `cat`. A number that is not finite is a ValueError.
    """
    text = _encode(report, "\n")
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _encode(value: Any, line: str) -> str:
    """What `json.dumps(asdict(value), indent=2)` writes, without copying ten thousand findings.

    `line` is a line break with the indentation of the value. A report is made of five kinds of
    things a million times over, so these are distinguished first, the commonest ahead.
    """
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if kind is float:
        return _number(value)
    if kind is int or value is None:
        return "null" if value is None else repr(value)
    if kind is tuple and value:
        return _list(value, line)
    inner = line + "  "
    if kind in _LEAVES or isinstance(value, Enum):
        return json.dumps(value)
    if is_dataclass(kind):
        keys, values = _fields(kind)
        items = zip(keys, values(value), strict=True)
    elif kind is dict:
        items = zip(map(_key, value), value.values(), strict=True)
    else:
        message = f"a report holds no {kind.__name__}"
        raise TypeError(message)
    items_text = [
        key + (encode_basestring(item) if type(item) is str else _encode(item, inner))
        for key, item in items
    ]
    return f"{{{inner}{f',{inner}'.join(items_text)}{line}}}" if items_text else "{}"


@cache
def _fields(kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    names = [field.name for field in fields(kind)]
    values = attrgetter(*names) if len(names) > 1 else lambda one: (getattr(one, names[0]),)
    return tuple(map(_key, names)), values


def _key(name: str) -> str:
    return f"{encode_basestring(name)}: "


_LEAVES = frozenset({bool, tuple})
"""Written alike at any depth; of the tuples only the empty one is left here."""


def _list(values: tuple[Any, ...], line: str) -> str:
    inner = line + "  "
    one = _number if type(values[0]) is float else partial(_encode, line=inner)
    return f"[{inner}{f',{inner}'.join(map(one, values))}{line}]"


def _number(value: float) -> str:
    """A number to its last bit; `json` refuses the others in its own words."""
    return repr(value) if value - value == 0 else json.dumps(value, allow_nan=False)
