"""Every code the gate prints: a title, what it means, what to do. `gate explain CODE` shows it."""

from __future__ import annotations

from gate.codes.accepting import ACCEPTING
from gate.codes.building import BUILDING
from gate.codes.calibration import CALIBRATION
from gate.codes.edits import EDITS
from gate.codes.errors import ERRORS
from gate.codes.findings import FINDINGS
from gate.codes.handover import HANDOVER
from gate.codes.kernel import KERNEL
from gate.codes.page import Page
from gate.codes.publishing import PUBLISHING
from gate.codes.step import STEP
from gate.codes.summary import SUMMARY
from gate.codes.tuning import TUNING

PAGES: dict[str, Page] = {
    **FINDINGS,
    **SUMMARY,
    **ERRORS,
    **CALIBRATION,
    **TUNING,
    **EDITS,
    **PUBLISHING,
    **STEP,
    **ACCEPTING,
    **HANDOVER,
    **KERNEL,
    **BUILDING,
}

__all__ = ["PAGES", "Page"]
