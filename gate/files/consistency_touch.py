"""What no type can say of the functions that differ: they cross from another machine too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.files import lengths
from gate.model.touch import HOW, MOST_CHANGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.files.lines import Path
    from gate.model import Ran, Touch, Touched

_MOST_PROFILES = 1000
_LONGEST = 300
"""Characters of a function's name."""


def touch_complaints(touch: Touch) -> Iterator[tuple[str, str]]:
    """Everything in what a trial executed of a change that contradicts the format or itself."""
    if max(len(touch.functions), len(touch.ran)) > MOST_CHANGED:
        yield "touch", f"at most {MOST_CHANGED} functions are told"
        return
    if not 0 <= touch.executed <= touch.count or len(touch.functions) > touch.count:
        yield "touch", "more functions are told, or ran, than differ"
    if len(touch.ran) > touch.executed:
        yield "touch", "more functions are told to have run than ran"
    if any(how not in HOW for how in touch.functions.values()):
        yield "touch", f"a function is one of {', '.join(HOW)}"
    if any(len(name) > _LONGEST for name in (*touch.functions, *touch.ran)):
        yield "touch", f"a name is longer than {_LONGEST} characters"
    if any(not _has_run(one) for one in touch.ran.values()):
        yield "touch", "what ran has executed something"


def _has_run(one: Ran) -> bool:
    """Whether either was counted, and not both."""
    low, high = sorted((one.instructions, one.calls))
    return bool(low == 0.0 and high > 0.0) and one.per_operation >= 0.0


def touched_complaints(rows: Sequence[Touched]) -> Iterator[tuple[Path, str]]:
    """The same of a report's rows."""
    if len(rows) > _MOST_PROFILES:
        yield ("touched",), f"{len(rows)} are more than the {_MOST_PROFILES} allowed"
        return
    for i, row in enumerate(rows):
        for path, what in lengths.row_complaints(row):
            yield ("touched", i, *path), what
        if len(row.functions) > MOST_CHANGED:
            yield ("touched", i, "functions"), f"at most {MOST_CHANGED} functions are told"
        if not 0 <= row.executed <= row.count:
            yield ("touched", i, "executed"), "more functions ran than differ"
        if row.empty and (row.executed or not row.count or row.unknown):
            yield ("touched", i, "empty"), "a pass is empty where functions differ and none ran"
        if any(one.how not in HOW for one in row.functions):
            yield ("touched", i, "functions"), f"a function is one of {', '.join(HOW)}"
