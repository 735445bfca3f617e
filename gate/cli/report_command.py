"""`gate report`: a report.json as text or HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.output import print_report
from gate.files import disk
from gate.files.report_file import read_report
from gate.report.html import render_html

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """\b
Examples:
  gate report reports/demo/slow/report.json
  gate report report.json --html report.html
"""


@click.command(epilog=EPILOG)
@click.argument("report", type=options.PathParam)
@click.option("--html", type=options.PathParam, default=None, help="Write one HTML file here.")
@options.as_json
def command(report: Path, html: Path | None, *, json_: bool) -> int:
    """Render REPORT, a report.json, on the terminal, and as HTML with --html.

    Rendering judges nothing: the exit status is 0 when the file could be rendered, whatever
    the verdict in it.
    """
    read = read_report(report)
    if html is not None:
        disk.write_text(html, render_html(read))
        click.echo(f"report: {html}", err=True)
    print_report(read, json_=json_)
    return 0
