"""`gate publish approvals`: what people said about a change, for a job that also judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.publish.acceptance import accepted_files
from gate.publish.measured_run import read_pull_request
from gate.publish.reviews import is_approved

if TYPE_CHECKING:
    from gate.cli.publish.options import GitHub

EPILOG = """\b
Examples:
  gate publish approvals --pull 17 --head "$HEAD"
  gate publish approvals --pull 17                of its present head, as for a merge queue

\b
Needs the permissions checks: read and pull-requests: read. Exit status: 0 asked,
6 it could not be asked.
"""


@click.command(epilog=EPILOG)
@github_options.pull_request(required=True)
@options.option(
    "--head",
    "Commit that is judged, all 40 digits.",
    default="",
    metavar="SHA",
    callback=github_options.matches(github_options.SHA_OR_NONE, "a full commit hash, 40 digits"),
)
@github_options.github
@options.as_json
def command(github: GitHub, number: int, head: str, *, json_: bool) -> int:
    """Ask GitHub what was said about a pull request: outputs approved and accepted.

    Approved is exactly HEAD, by somebody who may write and is not the author. Accepted are files of
    baselines, by git's hash of their content, that were accepted for this pull request.
    """
    api = github.api()
    pull = read_pull_request(api, number)
    approved = is_approved(api, number, head or pull.head, pull.author)
    said = {"approved": str(approved).lower(), "accepted": " ".join(accepted_files(api, number))}
    github_options.write_outputs(said)
    print_answer([f"{name}={value}" for name, value in said.items()], json_=json_, **said)
    return 0
