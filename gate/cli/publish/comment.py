"""`gate publish comment`: the one comment of a pull request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gate.cli import options
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
@github_options.pull
@github_options.head
@click.option(
    "--name",
    default="gate",
    show_default=True,
    help="Which comment: several gates of one repository write one each.",
)
@click.option(
    "--author",
    default="github-actions[bot]",
    show_default=True,
    metavar="LOGIN",
    help="Who writes with this token; only that author's comment is edited.",
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
    if json_:
        answer = {"schema": 1, "action": done.action, "url": done.url, "removed": done.removed}
        click.echo(json.dumps(answer, indent=1))
    else:
        click.echo(f"comment {done.action}: {done.url}")
    return 0
