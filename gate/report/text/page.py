"""A text page: lines wrapped to the columns of a terminal first, and coloured after."""

from __future__ import annotations

import re
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from wcwidth import wcswidth

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_NAME = 300
"""Characters of a benchmark or metric that are shown."""
_GLUE = "\x00"
_PAIR = re.compile(r"(?<=[\d?]) -> (?=[\d?])")


def width_of(text: str) -> int:
    """Columns the text takes; East Asian wide characters take two."""
    columns = wcswidth(text)
    return columns if columns >= 0 else len(text)


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most `width` columns, broken at spaces, and inside a word only if it must be.

    `first` starts the first line, `rest` every other. A number keeps its per cent sign, and
    the two numbers of a pair stay together.
    """
    lines: list[str] = []
    line, empty = first, True
    glued = _PAIR.sub(f"{_GLUE}->{_GLUE}", text.replace(" %", f"{_GLUE}%"))
    for word in glued.split():
        piece = word.replace(_GLUE, " ")
        while True:
            gap = "" if empty else " "
            room = width - width_of(line + gap)
            if width_of(piece) <= room:
                line, empty = line + gap + piece, False
                break
            if not empty:
                lines.append(line)
                line, empty = rest, True
                continue
            head = _longest(accumulate(piece), max(2, room))
            lines.append(line + head)
            line, piece = rest, piece[len(head) :]
            if not piece:
                break
    if not empty or not lines:
        lines.append(line)
    return [line.rstrip() for line in lines]


def fit(text: str, width: int) -> str:
    """Text in exactly `width` columns: padded, or with an ellipsis inside.

    More of its end is kept than of its beginning: `…[iodepth=32] iops` tells more.
    """
    if width_of(text) > width:
        ends = accumulate(reversed(text), lambda end, char: char + end)
        tail = _longest(ends, (width - 1) * 3 // 5)
        text = f"{_longest(accumulate(text), width - 1 - width_of(tail))}…{tail}"
    return text + " " * (width - width_of(text))


def _longest(growing: Iterable[str], width: int) -> str:
    """The last of ever longer texts that fits into so many columns."""
    fitting = takewhile(lambda one: width_of(one) <= width, growing)
    return max(fitting, key=len, default="")


BOLD, DIM, RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
RED, GREEN, YELLOW, CYAN = "\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"

_WORD = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\])+")
"""A word of a shell line, with what is quoted in it."""


class TextPage:
    """No escape counts as width, because colours come last."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def add(self, text: str, first: str = "", rest: str = "", code: str = "") -> None:
        """Text in as many lines as it needs; `first` starts the first one, `rest` every other."""
        self.lines += [self.paint(line, code) for line in wrap(text, self.width, first, rest)]

    def term(self, name: str, text: str, code: str = "") -> None:
        """Text beside its name, as a list of terms has it."""
        self.add(text, f"  {name:<9} ", " " * 12, code)

    def with_label(self, label: str, text: str, code: str = "") -> None:
        """Text behind a label and a colon, below a finding; the label may be empty."""
        first = f"  {label}: " if label else "  "
        self.add(text, first, " " * len(first), code)

    def paint(self, text: str, code: str) -> str:
        """The text in a colour, where the page has colours."""
        return f"{code}{text}{RESET}" if self.colour and code else text

    def blank(self) -> None:
        """One empty line, never two."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def section(self, title: str) -> None:
        """A title with a rule to the right edge; an empty line before and after it."""
        self.blank()
        rule = "─" * max(2, self.width - width_of(title) - 4)
        self.lines += [self.paint(f"── {title} {rule}"[: self.width], BOLD), ""]

    def command(self, line: str, indent: str) -> None:
        r"""A shell line that can be copied: it goes on over `\` where it is too long.

        Only a single word that is wider than the terminal is broken, and cannot be copied.
        """
        room = self.width - width_of(indent) - 4
        rows = [""]
        for word in _words(line, room):
            joined = f"{rows[-1]} {word}".lstrip()
            if rows[-1] and width_of(joined) > room:
                rows.append(word)
            else:
                rows[-1] = joined
        for number, row in enumerate(rows):
            end = " \\" if number < len(rows) - 1 else ""
            begin = indent if number == 0 else f"{indent}  "
            if width_of(begin + row + end) <= self.width:
                self.lines.append(begin + row + end)
            else:
                self.add(row + end, begin, begin)


def _words(line: str, room: int) -> list[str]:
    """The words of a shell line, an option together with its value where there is room."""
    words: list[str] = []
    for word in _WORD.findall(line):
        option = bool(words) and words[-1].startswith("--") and " " not in words[-1]
        if option and word[:1] not in "-&|" and width_of(f"{words[-1]} {word}") <= room:
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words
