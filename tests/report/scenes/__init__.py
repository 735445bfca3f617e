"""Golden reports: one for each thing that a check can come to, each made by the real judge."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.report.scenes import stories

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.model import Report

SCENES: dict[str, Callable[[], Report]] = {
    name: cache(getattr(stories, name))
    for name in (
        "all_passed",
        "regression",
        "broken",
        "nothing",
        "incomparable",
        "improved",
        "waived",
        "inconclusive",
        "first_run",
        "swept",
    )
}
"""Made once in a process; every call returns the same frozen value."""
