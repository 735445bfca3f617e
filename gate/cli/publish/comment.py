"""`gate publish comment`: the one comment of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.publish.comment import publish_comment
from gate.publish.step import confirmed_report
from gate.report.markdown.markdown import marker, render_comment
from gate.report.wording.links import Links

if TYPE_CHECKING:
    from gate.cli.publish.options import GitHub, ReportOptions

EPILOG = """\b
Examples:
  gate publish comment out/report.json --pull 17 --head "$HEAD"
  gate publish comment out/report.json --pull 17 --head "$HEAD" --report-url "$URL"

\b
Needs the permission pull-requests: write. Exit status: 0 written, whatever the
verdict; 6 not written, also when a newer commit has overtaken this one.
"""


@click.command(epilog=EPILOG)
@github_options.pull_request(required=True)
@github_options.head
@options.option(
    "--name", "Which comment: several gates of one repository write one each.", default="gate"
)
@options.option(
    "--author",
    "Who writes with this token; only that author's comment is edited.",
    default="github-actions[bot]",
    metavar="LOGIN",
)
@github_options.report
@github_options.github
@options.as_json
def command(
    github: GitHub,
    report: ReportOptions,
    number: int,
    head: str,
    name: str,
    author: str,
    *,
    json_: bool,
) -> int:
    """Say on a pull request what REPORT says: one comment, edited each time.

    Nothing is written when HEAD is no longer the head of the pull request.
    """
    run = report.run_url or github.run_url()
    links = Links(report=report.report_url, run=run, commit=head, answerable=True)
    body = render_comment(confirmed_report(report.path, report.said), links, name=name)
    done = publish_comment(
        github.api(), number, body, marker=marker(name), head=head, author=author
    )
    if done.author != author:
        click.echo(
            f"This token writes as {done.author}: give --author, so that the next run finds its "
            "comment at once.",
            err=True,
        )
    line = f"comment {done.action}: {done.url}"
    print_answer([line], json_=json_, action=done.action, url=done.url, removed=done.removed)
    return 0
