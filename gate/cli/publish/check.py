"""`gate publish check`: the check of a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.publish.check_run import CommitCheck, publish_check, publish_unmeasured
from gate.publish.step import confirmed_report
from gate.report.markdown.markdown import render_comment
from gate.report.wording.links import Links
from gate.text import clean

if TYPE_CHECKING:
    from gate.cli.publish.options import GitHub, ReportOptions

EPILOG = """\b
Examples:
  gate publish check out/report.json --head "$HEAD"
  gate publish check out/report.json --head "$HEAD" --name "driftgate lab-2"

\b
Needs the permission checks: write. Exit status: 0 written, whatever the verdict;
6 not written. The check itself is `success` only for an open gate.
"""


@click.command(epilog=EPILOG)
@github_options.head
@options.option("--name", "Name of the check.", default="driftgate")
@options.option(
    "--unmeasured",
    "Nothing was to be measured: say so by a neutral check, `NAME: not measured`.",
    is_flag=True,
)
@github_options.report
@github_options.github
@options.as_json
def command(
    github: GitHub, report: ReportOptions, head: str, name: str, *, unmeasured: bool, json_: bool
) -> int:
    """Make or update the check of HEAD that says what REPORT says.

    A branch can require it by its name. It is a success only when the gate is open, and a failure
    in every other case: GitHub lets neutral and skipped checks satisfy a requirement. With
    --unmeasured HEAD gets a neutral check of another name, and the required one stays away.
    """
    read = confirmed_report(report.path, report.said)
    run_page = report.run_url or github.run_url()
    links = Links(report=report.report_url, run=run_page, commit=head)
    check = CommitCheck(
        name=name,
        head=head,
        is_open=read.gate == "open" and read.exit_status == 0,
        title=clean(read.headline),
        summary=render_comment(read, links).partition("\n")[2],
        details_url=report.report_url or run_page,
    )
    publish = publish_unmeasured if unmeasured else publish_check
    done = publish(github.api(), check)
    line = f"check {done.action}: {done.url}".rstrip(": ")
    print_answer([line], json_=json_, action=done.action, url=done.url)
    return 0
