"""Where reports go: files first, then the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from gate.formats import disk
from gate.report.json_text import render_json
from gate.report.text.comparison import render_comparison
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
    if json_:
        shown = render_json(report).replace("##[", "##\\u005b")
        click.echo(shown, nl=False)  # the same to a parser, and no command to a CI runner
        return
    click.echo(render_text(report, width=terminal_width(), colour=wants_colour()), nl=False)


def print_comparison(report: Report, *, json_: bool, out: Path | None, saved: str) -> None:
    """The short answer of a comparison, and the whole report where a directory was named."""
    if out is not None:
        out.mkdir(parents=True)
        write_report(report, out)
    if json_:
        print_report(report, json_=True)
        return
    width, colour = terminal_width(), wants_colour()
    click.echo(render_comparison(report, width=width, colour=colour, save=saved), nl=False)
    if out is not None:
        click.echo(f"report: {out / 'report.html'}", err=True)


def terminal_width() -> int:
    """Columns of the terminal, at most 100; 80 where there is none."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 100))


def wants_colour() -> bool:
    """Colour only on a terminal; NO_COLOR forbids it, FORCE_COLOR asks for it."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
