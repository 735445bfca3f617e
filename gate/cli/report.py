"""`gate report`: a report.json as text, HTML, Markdown or JUnit XML."""

from __future__ import annotations

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
    from collections.abc import Callable

    from gate.model import Report

EPILOG = """\b
Examples:
  gate report reports/demo/slow/report.json
  gate report report.json --html report.html
  gate report report.json --junit junit.xml --comment comment.md
  gate report report.json --markdown - --run-url https://example.com/run/17
"""

_STDOUT = Path("-")


def _by_kind(
    html: Path | None, markdown: Path | None, comment: Path | None, junit: Path | None
) -> dict[str, Path]:
    """Where each rendering goes that was asked for."""
    places = {"html": html, "markdown": markdown, "comment": comment, "junit": junit}
    return {kind: place for kind, place in places.items() if place is not None}


_places = options.bundle(
    "places",
    _by_kind,
    options.path("--html", "Write one HTML file here."),
    options.path("--markdown", "Write the Markdown of a job summary."),
    options.path(
        "--comment",
        "Write the Markdown of a pull request's comment, shorter than 60,000 characters.",
    ),
    options.path("--junit", "Write JUnit XML for other CI systems."),
)


_links = options.bundle(
    "links",
    Links,
    options.option(
        "--report-url", "report", "Address of the HTML report, for the Markdown.", default=""
    ),
    options.option("--run-url", "run", "Address of the run, for the Markdown.", default=""),
    options.option("--commit", "Full hash of the commit judged, for the Markdown.", default=""),
)
_RENDERERS: dict[str, Callable[[Report, Links], str]] = {
    "html": lambda report, _: render_html(report),
    "junit": lambda report, _: render_junit(report),
    "comment": render_comment,
    "markdown": render_summary,
}


@click.command(epilog=EPILOG)
@click.argument("file", metavar="REPORT", type=options.PathParam)
@_places
@_links
@options.as_json
def command(file: Path, places: dict[str, Path], links: Links, *, json_: bool) -> int:
    """Render REPORT, a report.json, on the terminal and into files; `-` is the terminal itself.

    Rendering judges nothing: the exit status is 0 when the file could be rendered, whatever
    the verdict in it.
    """
    on_terminal = [kind for kind, place in places.items() if place == _STDOUT]
    if len(on_terminal) + json_ > 1:
        raise InputError(
            "G200",
            f"only one rendering can go to the terminal, not --{' and --'.join(on_terminal)}"
            f"{' and --json' if json_ else ''}.",
            cure="Name files for the others.",
        )
    report = read_report(file)
    for kind, place in places.items():
        text = _RENDERERS[kind](report, links)
        if place == _STDOUT:
            click.echo(text, nl=False)
        else:
            disk.write_text(place, text)
            click.echo(f"{'report' if kind == 'html' else kind}: {place}", err=True)
    if not on_terminal:
        print_report(report, json_=json_)
    return 0
