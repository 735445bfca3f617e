"""Calibration results as tables: Markdown for docs/evidence.md, plain text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.calibrate.outcome import AT_TOLERANCE, PLANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.calibrate.outcome import RuleResult

_OTHER_SIZE = 40
_SHORT = (0.03, 0.05, 0.10)
_LEAST_SHOWN = 0.01
"""Per cent; what is less is no zero."""


def markdown(results: Sequence[RuleResult], size: int) -> str:
    """One row per rule."""
    head = [
        "rule",
        "sides",
        f"unchanged suites of {size} closed (95 % upper limit)",
        f"of {_OTHER_SIZE}",
        "unchanged metrics closed",
        *(f"{100 * loss:g} % found" for loss in PLANTS),
        "5 % found, quiet series",
        "own tolerance found",
        "inconclusive suites",
        "refused suites",
        "trials per metric, unchanged / slower",
    ]
    lines = [head, ["---"] * 2 + ["--:"] * (len(head) - 2)]
    lines += [_row(result, size) for result in results]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _row(result: RuleResult, size: int) -> list[str]:
    closed, upper = result.closed(size) or (None, None)
    other = result.closed(_OTHER_SIZE)
    return [
        f"`{result.rule}`",
        "yes" if result.sides else "no",
        f"{_share(closed)} ({_share(upper)})",
        _share(other[0] if other else None),
        _share(result.closed_metrics[0]),
        *(_share(result.found(loss)) for loss in PLANTS),
        _share(result.found(0.05, quiet=True)),
        _share(result.found(AT_TOLERANCE)),
        _share(result.ended("inconclusive")),
        _share(result.ended("refused")),
        f"{result.trials_unchanged:.1f} / {result.trials_slower:.1f}",
    ]


def plain(results: Sequence[RuleResult], size: int) -> str:
    """The most important columns, within 80 characters."""
    title = f"{'':27}{'suites of ' + str(size):>15}   {'losses found':^20}{'undecided':>11}"
    names = f"{'rule':27}{'closed':>8}{'at most':>8}{'':2}"
    names += "".join(f"{100 * loss:5g} %" for loss in _SHORT) + f"{'suites':>11}"
    lines = [title.rstrip(), names]
    for result in results:
        closed, upper = result.closed(size) or (None, None)
        found = "".join(f"{_share(result.found(loss)):>7}" for loss in _SHORT)
        lines.append(
            f"{result.rule:27}{_share(closed):>8}{_share(upper):>8}{'':2}{found}"
            f"{_share(result.ended('inconclusive')):>11}"
        )
    lines.append("")
    lines.append("Nothing was changed in these sessions, so every closed suite is a false alarm.")
    lines.append("--markdown shows all columns, --json all numbers.")
    return "\n".join(lines) + "\n"


def _share(value: float | None) -> str:
    """A share with the digits that matter: 0.05 %, 1.3 %, 98 %."""
    if value is None:
        return "-"
    shown = 100 * value
    if shown in (0, 100):
        return f"{shown:.0f} %"
    if shown < _LEAST_SHOWN:
        return f"<{_LEAST_SHOWN:g} %"
    digits = 2 if shown < 1 else 1  # of 99.97 no 100 is made
    text = f"{shown:.{digits}f}"
    return f"{text} %" if float(text) < 100 else ">99.9 %"
