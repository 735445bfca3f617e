"""Lines of a terminal under construction: wrapped first, coloured after."""

from __future__ import annotations

import re

from gate.report.cells import width_of, wrap

BOLD, DIM, RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
RED, GREEN, YELLOW, CYAN = "\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"

_WORD = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\])+")
"""A word of a shell line, with what is quoted in it."""


class Page:
    """No escape counts as width, because colours come last."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def add(self, text: str, first: str = "", rest: str = "", code: str = "") -> None:
        """Text in as many lines as it needs; `first` starts the first one, `rest` every other."""
        self.lines += [self.paint(line, code) for line in wrap(text, self.width, first, rest)]

    def named(self, name: str, text: str, code: str = "") -> None:
        """Text beside its name, as a list of terms has it."""
        self.add(text, f"  {name:<9} ", " " * 12, code)

    def labelled(self, label: str, text: str, code: str = "") -> None:
        """Text behind a label and a colon, below a finding; the label may be empty."""
        first = f"  {label}: " if label else "  "
        self.add(text, first, " " * len(first), code)

    def paint(self, text: str, code: str) -> str:
        """The text in a colour, where colours were asked for."""
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
