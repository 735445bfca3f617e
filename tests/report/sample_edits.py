"""Edits of the rules, and the report of a check that ended with an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.verdict.findings import failed_report
from gate.model import Edit

if TYPE_CHECKING:
    from gate.model import Report


def edit(**changes: object) -> Edit:
    """A wider tolerance; not in force."""
    made = {
        "code": "G070",
        "profile": "iometer",
        "metric": "iops",
        "before": "5 %",
        "after": "50 %",
        "headline": "tolerance of iops 5 % -> 50 %",
        "advice": "Review it like code: it is in force once it is merged.",
        "loosens": True,
    }
    return Edit(**(made | changes))


EDITS = (
    edit(),
    edit(
        code="G071",
        metric="cpu_per_io",
        before="none",
        after="200 ns",
        headline="floor of cpu_per_io none -> 200 ns",
        loosens=False,
    ),
)


def failed(**changes: object) -> Report:
    """A check that could not measure."""
    made: dict[str, object] = {
        "code": "G231",
        "message": "profiles/db.toml:3: fio is not installed. Install it: apt-get install fio.",
        "exit_status": 4,
        "created": "2026-11-22T03:12:44Z",
        "version": "0.1.0",
        "profiles": ("db",),
    }
    return failed_report(**(made | changes))
