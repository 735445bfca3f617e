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

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.model import Report
    from gate.report.wording.links import Links

EPILOG = """\b
Examples:
  gate report reports/demo/slow/report.json
  gate report report.json --html report.html
  gate report report.json --junit junit.xml --comment comment.md
  gate report report.json --markdown - --run-url https://example.com/run/17
"""

_STDOUT = Path("-")


@click.command(epilog=EPILOG)
@click.argument("report", type=options.PathParam)
@click.option("--html", type=options.PathParam, default=None, help="Write one HTML file here.")
@click.option(
    "--markdown", type=options.PathParam, default=None, help="Write the Markdown of a job summary."
)
@click.option(
    "--comment",
    type=options.PathParam,
    default=None,
    help="Write the Markdown of a pull request's comment, shorter than 60,000 characters.",
)
@click.option(
    "--junit", type=options.PathParam, default=None, help="Write JUnit XML for other CI systems."
)
@click.option("--report-url", default="", help="Address of the HTML report, for the Markdown.")
@click.option("--run-url", default="", help="Address of the run, for the Markdown.")
@click.option("--commit", default="", help="Full hash of the commit judged, for the Markdown.")
@options.as_json
def command(
    report: Path,
    html: Path | None,
    markdown: Path | None,
    comment: Path | None,
    junit: Path | None,
    report_url: str,
    run_url: str,
    commit: str,
    *,
    json_: bool,
) -> int:
    """Render REPORT, a report.json, on the terminal and into files; `-` is the terminal itself.

    Rendering judges nothing: the exit status is 0 when the file could be rendered, whatever
    the verdict in it.
    """
    from gate.report.wording.links import Links  # noqa: PLC0415 - the help needs no renderer

    wanted = {"html": html, "markdown": markdown, "comment": comment, "junit": junit}
    places = {kind: place for kind, place in wanted.items() if place is not None}
    spoken = [kind for kind, place in places.items() if place == _STDOUT]
    if len(spoken) + json_ > 1:
        raise InputError(
            "G200",
            f"only one rendering can go to the terminal, not --{' and --'.join(spoken)}"
            f"{' and --json' if json_ else ''}.",
            cure="Name files for the others.",
        )
    read = read_report(report)
    links = Links(report=report_url, run=run_url, commit=commit)
    for kind, place in places.items():
        _write(kind, place, _renderer(kind, links)(read))
    if not spoken:
        print_report(read, json_=json_)
    return 0


def _renderer(kind: str, links: Links) -> Callable[[Report], str]:
    """The function for one kind of rendering, loaded when it is wanted."""
    if kind == "html":
        from gate.report.html.html import render_html  # noqa: PLC0415 - jinja2, where it is wanted

        return render_html
    if kind == "junit":
        from gate.report.junit import render_junit  # noqa: PLC0415 - likewise

        return render_junit
    from gate.report.markdown.markdown import render_comment, render_summary  # noqa: PLC0415 - likewise

    if kind == "comment":
        return lambda report: render_comment(report, links)
    return lambda report: render_summary(report, links)


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
