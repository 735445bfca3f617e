"""`gate publish locate`: the pull request that a workflow run measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.publish.measured_run import locate_pull_request

if TYPE_CHECKING:
    from gate.cli.publish.options import GitHub

EPILOG = """\b
Examples:
  gate publish locate --run "$RUN"           in a workflow_run job
  gate publish locate --run 123456 --json --repository owner/name

\b
Needs the permissions actions: read and pull-requests: read. Exit status: 0 found,
6 when no pull request can be named, or a newer commit has overtaken the run.
"""


@click.command(epilog=EPILOG)
@github_options.run
@github_options.github
@options.as_json
def command(github: GitHub, run: int, *, json_: bool) -> int:
    """Find the open pull request whose head a workflow run measured.

    The API is asked, never what the run uploaded. Sets the outputs number, head (commit), base
    (branch), base_sha, conclusion (of the run) and fork (true or false), and prints them.
    """
    found = locate_pull_request(github.api(), run)
    outputs = {
        "number": str(found.number),
        "head": found.head,
        "base": found.base_ref,
        "base_sha": found.base_sha,
        "conclusion": found.conclusion,
        "fork": "true" if found.fork else "false",
    }
    github_options.write_outputs(outputs)
    lines = [f"{name}={value}" for name, value in outputs.items()]
    values = {**outputs, "number": found.number, "fork": found.fork}
    print_answer(lines, json_=json_, **values)
    return 0
