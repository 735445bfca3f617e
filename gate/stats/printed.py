"""Any row of printed figures: which comparison it bears, and how many trials would decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.stats import summary
from gate.stats.summary_logs import compare_logs, logs_to_decide

if TYPE_CHECKING:
    from gate.model import Figures, MeanKind, SummaryRow
    from gate.stats.summary import MeanRatio


def known_noise(row: SummaryRow) -> bool:
    """Whether the noise of a row is known: from sittings that differ, else from spreads.

    Spreads are needed on both sides, and of a group at every point, above zero and of two trials
    or more.
    """
    sides = [side for side in row.sides if side.sittings]
    if sides:
        return all(sittings_differ(side) for side in sides)
    return all(summary.known_spread(point) for point in row.points or (row,))


def sittings_differ(side: Figures) -> bool:
    """Whether its sittings differ at all: figures that agree in every digit show no noise."""
    return len({one.mean for one in side.sittings}) > 1


def compare(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> MeanRatio:
    """Compare a row of known noise; the lower limit holds `alpha`, the upper one `beta`."""
    chosen = compare_logs if _needs_logs(row) else summary.compare
    return chosen(row, mean, alpha, beta)


def trials_to_decide(row: SummaryRow, mean: MeanKind, alpha: float, beta: float) -> int | None:
    """Trials a side, or sittings, after which a claim would hold if all else stayed as printed."""
    chosen = logs_to_decide if _needs_logs(row) else summary.trials_to_decide
    return chosen(row, mean, alpha, beta)


def _needs_logs(row: SummaryRow) -> bool:
    return bool(row.points) or any(side.sittings for side in row.sides)
