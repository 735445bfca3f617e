"""Values as TOML text. Floats keep every digit, strings every character."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
