"""Text in terminal columns: how wide it is, how it wraps, how it is cut."""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells

_GLUE = "\x00"
_PAIR = re.compile(r"(?<=[\d?]) -> (?=[\d?])")


def width_of(text: str) -> int:
    """Columns the text takes; East Asian wide characters take two."""
    return cell_len(text)


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
            head = chop_cells(piece, max(2, room))[0]
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
        tail_room = (width - 1) * 3 // 5
        tail = ""
        for char in reversed(text):
            if width_of(char + tail) > tail_room:
                break
            tail = char + tail
        head = ""
        for char in text:
            if width_of(head + char) > width - 1 - width_of(tail):
                break
            head += char
        text = f"{head}…{tail}"
    return text + " " * (width - width_of(text))
