"""Tables of the metrics that a harness can give."""

from __future__ import annotations

from gate.harness.base import MetricKind
from gate.model import Better


def metric_kinds(*rows: tuple[str, str, str, str]) -> dict[str, MetricKind]:
    """Metric kinds from rows of name, unit, better and explanation."""
    return {
        name: MetricKind(unit=unit, better=Better(better), about=about)
        for name, unit, better, about in rows
    }
