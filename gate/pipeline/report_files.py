"""Where reports go: files first, then the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from gate.formats import disk
from gate.report.json_text import render_json
from gate.report.text.finding import render_comparison
from gate.report.text.text import render_text

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Report


def write_report(report: Report, directory: Path) -> None:
    """Write report.json and report.html."""
    from gate.report.html.html import render_html  # noqa: PLC0415 - templates, if a page is asked

    disk.write_text(directory / "report.json", render_json(report))
    disk.write_text(directory / "report.html", render_html(report))


def print_report(report: Report, *, json_: bool) -> None:
    """The report on stdout, as JSON or as text that fits the terminal."""
    click.echo(shown_report(report, json_=json_), nl=False)


def shown_report(report: Report, *, json_: bool) -> str:
    """The report as stdout takes it: as JSON or as text that fits the terminal."""
    if json_:
        return render_json(report).replace("##[", "##\\u005b")  # the same, no command to a CI
    return render_text(report, width=terminal_width(), colour=wants_colour())


def shown_comparison(report: Report, *, json_: bool, out: Path | None, saved: str) -> str:
    """The short answer of a comparison; the whole report is written where a directory is named."""
    if out is not None:
        out.mkdir(parents=True)
        write_report(report, out)
    if json_:
        return shown_report(report, json_=True)
    return render_comparison(report, width=terminal_width(), colour=wants_colour(), save=saved)


def terminal_width() -> int:
    """Columns of the terminal, at most 100; 80 where there is none."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 100))


def wants_colour() -> bool:
    """Colour only on a terminal; NO_COLOR forbids it, FORCE_COLOR asks for it."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
