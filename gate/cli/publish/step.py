"""`gate publish step`: summary, annotations, outputs and exit status of a GitHub step."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.cli import options
from gate.errors import GateError
from gate.pipeline.report_files import terminal_width, wants_colour
from gate.publish.github.runner_commands import guard_lines
from gate.publish.step import publish_step, take_report, write_missing
from gate.report.annotations import render_annotations
from gate.report.json_text import render_json
from gate.report.text.text import render_text
from gate.report.wording.links import Links

if TYPE_CHECKING:
    from gate.model import Report

EPILOG = """\b
Examples:
  gate publish step reports/pr-17
  gate publish step out --artifact-url "$PAGE" --because "measuring ended as cancelled"

\b
Exit status: that of the report, and 0 only for one that is there, of now, and open;
4 where the check left none, 6 where summary or outputs could not be written.
"""


@click.command(epilog=EPILOG)
@click.argument("out", type=options.PathParam)
@options.option("--artifact-url", "Address of the report's page.", default="", metavar="URL")
@options.option(
    "--run-url",
    "Address of the workflow run; by default the running one.",
    default="",
    metavar="URL",
)
@options.option(
    "--because",
    "How the check ended, printed where it left no report.",
    default="",
    metavar="TEXT",
)
@options.option(
    "--refused",
    "Why nothing was to be judged: the report says that and is closed.",
    default="",
    metavar="TEXT",
)
@options.as_json
def command(
    out: Path, artifact_url: str, run_url: str, because: str, refused: str, *, json_: bool
) -> int:
    """Publish what stands in OUT/report.json, the report of a check; last step of the job.

    Appends the summary, prints annotations and the report, sets the outputs gate, verdict, status,
    report, session and headline. Where there is no report, or none that can be of this check, one
    is written that says so, and the gate is closed. Outside of GitHub it prints only.
    """
    taken = take_report(
        out, now=datetime.now(UTC), version=__version__, because=because, refusal=refused
    )
    if taken.made:
        try:
            write_missing(out, taken.report)
        except (GateError, OSError) as why:  # the rest is published all the same
            click.echo(guard_lines(f"the report could not be written: {why}"), err=True)
    links = Links(report=artifact_url, run=run_url or _this_run())
    files = _file("GITHUB_STEP_SUMMARY"), _file("GITHUB_OUTPUT")
    # All is rendered before anything is printed: what cannot be rendered must not have said open.
    lines, log = render_annotations(taken.report), _log(taken.report, json_=json_)
    status, failed = publish_step(taken.report, out, links, *files)
    for line in lines:
        click.echo(line, err=json_)  # a runner reads both streams
    click.echo(log, nl=False)
    for error in failed:
        click.echo(guard_lines(f"error[{error.code}]: {error}"), err=True)
    return status


def _log(report: Report, *, json_: bool) -> str:
    """The report for the log, no line of which is a command."""
    if json_:
        # Between the quotes of a string, as this always is, the escape reads the same.
        return render_json(report).replace("##[", "#\\u0023[")
    return guard_lines(render_text(report, width=terminal_width(), colour=wants_colour()))


def _file(name: str) -> Path | None:
    given = os.environ.get(name)
    return Path(given) if given else None


def _this_run() -> str:
    """The page of the running workflow run; empty outside of GitHub."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, run = (os.environ.get(name, "") for name in names)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else ""
