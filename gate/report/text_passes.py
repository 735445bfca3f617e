"""Passes in a terminal: one line each up to a limit, then a count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report import words
from gate.report.cells import fit, width_of, wrap
from gate.report.text_finding import name_of
from gate.report.text_page import GREEN, YELLOW
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding
    from gate.report.text_page import Page

PASSES_SHOWN = 20
_LEAST_NAME = 16


def passes(page: Page, passed: Sequence[Finding]) -> None:
    """Each pass with its numbers while there is room; no warning is dropped."""
    if not passed:
        return
    page.blank()
    tolerances = {words.plain_percent(finding.tolerance_used) for finding in passed}
    common = f", each judged at a tolerance of {min(tolerances)}" if len(tolerances) == 1 else ""
    title = f"{words.SYMBOL[Verdict.PASSED]} {Verdict.PASSED.value}"
    lines = wrap(f"{len(passed)}{common}", page.width, f"{title}  ", "  ")
    page.lines += [page.paint(title, GREEN) + lines[0][len(title) :], *lines[1:]]
    counts = Counter(warning for finding in passed for warning in finding.warnings)
    marks = {warning: index for index, warning in enumerate(counts, 1)}
    shown = passed[:PASSES_SHOWN]
    _columns(page, [_cells(finding, marks, same=bool(common)) for finding in shown])
    if len(passed) > len(shown):
        more = f"… and {len(passed) - len(shown)} more passed; all of them in the HTML report"
        page.add(more, "  ", "  ")
    for warning, index in marks.items():
        count = f" ({counts[warning]} findings)" if counts[warning] > 1 else ""
        page.add(f"{warning}{count}", f"  warning [{index}]: ", "    ", YELLOW)


def _columns(page: Page, rows: list[tuple[str, ...]]) -> None:
    """Name, sides, loss and n below each other; a name too long for its column is shortened."""
    widths = [max(width_of(cell) for cell in column) for column in zip(*rows, strict=True)]
    room = min(widths[0], page.width - sum(widths[1:]) - 8)
    for name, both, loss, count in rows:
        if room >= _LEAST_NAME:
            numbers = f"{_right(both, widths[1])}  {_right(loss, widths[2])}  {count}"
            page.lines.append(f"  {fit(name, room)}  {numbers}")
        else:
            page.add(f"{name}: {both}, {loss}, {count}", "  ", "    ")


def _right(text: str, width: int) -> str:
    return " " * (width - width_of(text)) + text


def _cells(finding: Finding, marks: dict[str, int], *, same: bool) -> tuple[str, ...]:
    mark = "".join(f" [{marks[warning]}]" for warning in finding.warnings)
    limit = "" if same else f" of {words.plain_percent(finding.tolerance_used)}"
    trials = words.trials(finding).replace(" ", "")
    loss = f"{percent(finding.loss)}{limit}"
    return name_of(finding), words.sides(finding), loss, f"n {trials}{mark}"
