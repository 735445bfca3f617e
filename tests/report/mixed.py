"""A report to search and sort: small, and no two of its losses are alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model import Verdict
from tests.report.build import finding
from tests.report.sample import sample_report

if TYPE_CHECKING:
    from gate.model import Report


def mixed() -> Report:
    """Two profiles; regressed, inconclusive and passed findings, a loss that is not known."""
    slow = [
        finding(
            f"slow{number}",
            verdict=Verdict.REGRESSED,
            loss=loss,
            profile="disk" if number % 2 else "net",
            trials_base=10 + number,
        )
        for number, loss in enumerate((0.12, 0.30, 0.071), 9)
    ]
    unknown = finding("odd", verdict=Verdict.INCONCLUSIVE, loss=0, code="G020", profile="net")
    quick = [
        finding(f"quick{number}", seed=number, loss=number / 1000, profile="disk")
        for number in range(6)
    ]
    return sample_report(findings=(*slow, replace(unknown, loss=None), *quick))
