"""Guards of text: what a terminal, a browser or a stranger may be shown.

Strings from sessions are hostile. Removed are escape sequences, control characters, and invisible
format characters that turn the direction of writing or hide text; line breaks become spaces, so
one string stays one line. Sessions, baselines and reports are read by everybody who may read a
repository, so names of one machine and what looks like a secret are recognised here too.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from operator import is_
from typing import Any, TypeVar, cast

T = TypeVar("T")

LONGEST = 1500
"""Characters of one string that are shown; longer ones lose their middle."""

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]).{0,500}?(?:\x07|\x1b\\|\x9c)"  # OSC, DCS: titles, links
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
_COMMAND = re.compile(r"^(\s*):(?=:)")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_MARKS = frozenset({"Mn", "Me"})
_MOST_MARKS = 2


def shorten(text: str, longest: int) -> str:
    """The text, or its beginning and end around an ellipsis when it is longer than that."""
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def clean(text: str, longest: int = LONGEST) -> str:
    """One line of plain visible text, at most `longest` characters."""
    if text.isascii() and text.isprintable() and len(text) <= longest and "##[" not in text:
        return text
    text = _ESCAPE.sub("", shorten(text, longest * 8))
    text = unicodedata.normalize("NFC", re.sub(r"\s+", " ", text))
    kept: list[str] = []
    marks = 0
    for char in text:
        category = unicodedata.category(char)
        marks = marks + 1 if category in _MARKS else 0
        hidden = category in _INVISIBLE or "\ufe00" <= char <= "\ufe0f"
        if not hidden and marks <= _MOST_MARKS:
            kept.append(char)
    return shorten("".join(kept).replace("##[", "## ["), longest)


def guard_line(line: str) -> str:
    """A line that no CI runner takes for a command: `::error::` loses its first colon."""
    return _COMMAND.sub(r"\1.", line)


def command_line(name: str, message: str, **properties: str) -> str:
    """A command to a CI runner; nothing in its values can end it or begin another.

    It ends at the end of its line and its properties at a colon or comma, so these are escaped as
    GitHub's own toolkit does it.
    """

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    listed = ",".join(
        f"{key}={escaped(value).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
    )
    return f"::{name}{' ' if listed else ''}{listed}::{escaped(message)}"


def scrub(value: T) -> T:
    """The same frozen value with every string in it cleaned."""
    return cast("T", _scrub(value))


def _scrub(value: Any) -> Any:
    """The value itself where nothing in it had to be cleaned, which is nearly always."""
    kind = type(value)
    if kind is str:
        return clean(value)
    if isinstance(value, Enum | float | int) or value is None:
        return value
    if kind is tuple:
        if not value or type(value[0]) is float:
            return value
        made = tuple([_scrub(item) for item in value])
        return value if all(map(is_, made, value)) else made
    if kind is dict:
        return {clean(key): _scrub(item) for key, item in value.items()}
    if is_dataclass(kind):
        changes = {}
        for name in _names(kind):
            before = getattr(value, name)
            after = _scrub(before)
            if after is not before:
                changes[name] = after
        return replace(value, **changes) if changes else value
    message = f"a report holds no {kind.__name__}"
    raise TypeError(message)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


_PATTERNS = {
    "uuid": r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    "mac": r"\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b",
    "id": r"\b(?:0x)?[0-9a-f]{32,}\b",
}
NAMES_ONE = re.compile("|".join(_PATTERNS.values()), re.IGNORECASE)
"""What names one machine or one part of it, and not a kind: UUIDs, MAC addresses, long ids."""
_LOGIN = r"://[^/\s@]*@"
"""A user, mostly with a password, in an address."""
SECRET_WORD = re.compile(
    r"password|passwd|passphrase|token|secret|credential|"
    r"(?<![a-z])(?:pwd|creds?|(?:auth|api|access|private)?[_-]?keys?|pin-(?:value|source))(?![a-z])|"
    + _LOGIN,
    re.IGNORECASE,
)
"""What tells a secret among words that programs chose: `iommu.passthrough` is none."""
_SECRET_VARIABLE = re.compile(r"pass|token|secret|key|auth|cred|pwd", re.IGNORECASE)
"""The same in a name that somebody chose freely, where too much is better than too little."""


def shown_variable(setting: str) -> str:
    """`NAME=VALUE` for everybody's eyes: `NAME=...` where it looks like a secret."""
    name, equals, value = setting.partition("=")
    secret = _SECRET_VARIABLE.search(name) or re.search(_LOGIN, value)
    return f"{name}=..." if equals and secret else setting


def printable(text: str, instead: str = " ") -> str:
    """The text with something else for each character that cannot be printed, such as a newline."""
    return "".join(c if c.isprintable() else instead for c in text)


def one_line(text: str) -> str:
    """A text as one line that no CI runner takes for a command, wherever the text came from."""
    return guard_line(printable(text).replace("##[", "## ["))


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    teen = number % 100 in {11, 12, 13}
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
