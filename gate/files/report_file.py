"""`report.json`: read back for rendering."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from gate.files import checked, disk
from gate.files.consistency import report_complaints
from gate.model import Report

if TYPE_CHECKING:
    from pathlib import Path


@cache
def adapter() -> TypeAdapter[Report]:
    """Validator of reports, built once."""
    return TypeAdapter(Report)


def read_report(path: Path) -> Report:
    """Read one report.

    Raises:
        InputError: it cannot be read, or is no report of this schema number.
    """
    text = disk.read_text(path, "session")
    data = checked.parse_json(text, str(path))
    checked.check_schema(data, text=text, place=str(path), kind="json")
    report = checked.validate(adapter(), data, text=text, place=str(path), kind="json")
    checked.refuse_any(report_complaints(report), text=text, place=str(path))
    return report
