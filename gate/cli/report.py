"""`gate report`: a report.json as text, HTML, Markdown or JUnit XML."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.formats import disk
from gate.formats.session.session_file import read_report
from gate.pipeline.report_files import print_report
from gate.report.html.html import render_html
from gate.report.junit import render_junit
from gate.report.markdown.markdown import render_comment, render_summary
from gate.report.wording.links import Links

if TYPE_CHECKING:
    from gate.model import Report

EPILOG = """\b
Examples:
  gate report reports/demo/slow/report.json
  gate report report.json --html report.html
  gate report report.json --junit junit.xml --comment comment.md
  gate report report.json --markdown - --run-url https://example.com/run/17
"""

_STDOUT = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where each rendering goes; None where it was not asked for."""

    html: Path | None
    markdown: Path | None
    comment: Path | None
    junit: Path | None

    def by_kind(self) -> dict[str, Path]:
        """The renderings asked for."""
        places = {field.name: getattr(self, field.name) for field in fields(self)}
        return {kind: place for kind, place in places.items() if place is not None}


_places = options.bundle(
    "places",
    _Places,
    click.option("--html", type=options.PathParam, help="Write one HTML file here."),
    click.option("--markdown", type=options.PathParam, help="Write the Markdown of a job summary."),
    click.option(
        "--comment",
        type=options.PathParam,
        help="Write the Markdown of a pull request's comment, shorter than 60,000 characters.",
    ),
    click.option("--junit", type=options.PathParam, help="Write JUnit XML for other CI systems."),
)


_links = options.bundle(
    "links",
    Links,
    click.option(
        "--report-url", "report", default="", help="Address of the HTML report, for the Markdown."
    ),
    click.option("--run-url", "run", default="", help="Address of the run, for the Markdown."),
    click.option("--commit", default="", help="Full hash of the commit judged, for the Markdown."),
)


@click.command(epilog=EPILOG)
@click.argument("file", metavar="REPORT", type=options.PathParam)
@_places
@_links
@options.as_json
def command(file: Path, places: _Places, links: Links, *, json_: bool) -> int:
    """Render REPORT, a report.json, on the terminal and into files; `-` is the terminal itself.

    Rendering judges nothing: the exit status is 0 when the file could be rendered, whatever
    the verdict in it.
    """
    kinds = places.by_kind()
    on_terminal = [kind for kind, place in kinds.items() if place == _STDOUT]
    if len(on_terminal) + json_ > 1:
        raise InputError(
            "G200",
            f"only one rendering can go to the terminal, not --{' and --'.join(on_terminal)}"
            f"{' and --json' if json_ else ''}.",
            cure="Name files for the others.",
        )
    report = read_report(file)
    for kind, place in kinds.items():
        _write(kind, place, _rendered(kind, report, links))
    if not on_terminal:
        print_report(report, json_=json_)
    return 0


def _rendered(kind: str, report: Report, links: Links) -> str:
    if kind == "html":
        return render_html(report)
    if kind == "junit":
        return render_junit(report)
    if kind == "comment":
        return render_comment(report, links)
    return render_summary(report, links)


def _write(kind: str, place: Path, text: str) -> None:
    """Into a file, or on the terminal where `-` is asked for.

    Raises:
        InputError: G208, the file cannot be written.
    """
    if place == _STDOUT:
        click.echo(text, nl=False)
        return
    disk.write_text(place, text)
    name = "report" if kind == "html" else kind
    click.echo(f"{name}: {place}", err=True)
