"""`gate publish locate`: the pull request that a workflow run measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.publish.measured_head import locate_pull_request

if TYPE_CHECKING:
    from gate.cli.publish.options import GitHub
    from gate.publish.run_provenance import DemandedOrigin

EPILOG = """\b
Examples:
  gate publish locate --run "$RUN"           in a workflow_run job
  gate publish locate --run "$RUN" --machine bench-1 \\
      --uses driftgate/driftgate/.github/workflows/measure.yml@COMMIT
  gate publish locate --run 123456 --json --repository owner/name

\b
Needs the permissions actions, checks and pull-requests: read. Exit status: 0 found,
6 when no pull request can be named, a newer commit has overtaken the run, or it
is a run of another workflow.
"""


@click.command(epilog=EPILOG)
@github_options.run
@github_options.demand
@github_options.github
@options.as_json
def command(github: GitHub, run: int, demand: DemandedOrigin, *, json_: bool) -> int:
    """Find the open pull request whose head a workflow run measured, and whether it is believed.

    The API is asked, never what the run uploaded. Sets the outputs number, head (commit), ref
    (where it is), base (branch), base_sha, conclusion (of the run), fork, queued (by the merge
    queue, whose commit is its own), approved (this commit, by somebody who may
    write), measured (on that machine), refusal, measured_commit (the head, or what it adds an
    accepted baseline to) and accepted (files of baselines, by git's hash, that were accepted for
    it), and prints them. With a refusal, which is one sentence, nothing of what the run uploaded
    may be judged.
    """
    found = locate_pull_request(github.api(), run, demand)
    flags = {
        "fork": found.fork,
        "queued": found.is_queued,
        "approved": found.is_approved,
        "measured": found.is_measured,
    }
    outputs = {
        "number": str(found.number),
        "head": found.head,
        "ref": found.ref,
        "base": found.base_ref,
        "base_sha": found.base_sha,
        "conclusion": found.conclusion,
        **{name: "true" if is_so else "false" for name, is_so in flags.items()},
        "refusal": found.refusal,
        "measured_commit": found.measured,
        "accepted": " ".join(found.accepted),
    }
    github_options.write_outputs(outputs)
    lines = [f"{name}={value}" for name, value in outputs.items()]
    print_answer(lines, json_=json_, **{**outputs, "number": found.number, **flags})
    return 0
