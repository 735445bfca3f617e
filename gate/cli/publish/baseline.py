"""`gate publish baseline`: what passed on the default branch is added to its baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.pipeline.accept.candidates import GrowthOptions
from gate.pipeline.accept.default_branch import grow_baseline
from gate.text import clean

if TYPE_CHECKING:
    from pathlib import Path

    from gate.cli.publish.options import GitHub

EPILOG = """\b
Examples:
  gate publish baseline reports/nightly --branch main
  gate publish baseline reports/nightly --mode push
  gate publish baseline out --first --reason "first baseline"

\b
Run it in a checkout of that branch. Needs the permissions contents: write,
pull-requests: write. Exit status: 0 added, or open with nothing to add; as the
verdict (4, 5, 10) where the gate is closed; 6 refused or not published.
"""


_how = options.bundle(
    "how",
    GrowthOptions,
    options.option(
        "--mode",
        "Keep one pull request open that adds the sessions, or commit to the branch.",
        type=click.Choice(["pull-request", "push"]),
        default="pull-request",
    ),
    options.option("--branch", "The default branch.", default="main", metavar="NAME"),
    options.flag(
        "--first",
        "Take a first baseline: accept, unjudged, sessions of profiles that have too few.",
    ),
    options.option("--reason", "Why a first baseline is right; needs --first."),
    options.option(
        "--by",
        "Who is recorded as having accepted it.",
        default="github-actions[bot]",
        metavar="LOGIN",
    ),
    options.profiles_dir,
    options.size,
    options.baseline_dir,
)


@click.command(epilog=EPILOG)
@click.argument("out", nargs=-1, required=True, type=options.PathParam)
@_how
@github_options.github
@options.as_json
def command(github: GitHub, out: tuple[Path, ...], how: GrowthOptions, *, json_: bool) -> int:
    """Add the sessions in OUT/session.json, measured on the default branch, to its baseline.

    They are judged again. A profile's session enters only where every gate metric of it passed, it
    is of a commit of the branch, and no other session of the day was added. What was improved,
    waived, new, inconclusive or disturbed never enters; a person may accept it.
    """
    growth = grow_baseline(github.api(), out, replace(how, run_url=github.run_url()))
    data = github_options.proposal_data(growth.done)
    github_options.write_proposal_outputs(data)
    lines = [f"left out: {profile}: {why}" for profile, why in growth.left_out.items()]
    lines = [clean(line) for line in (*lines, *growth.notes)]
    if growth.done is None:
        lines.append("nothing was added to the baseline")
    else:
        lines += github_options.proposal_lines(growth.done, growth.changes)
    print_answer(
        lines,
        json_=json_,
        exit_status=growth.status,
        **data,
        changes=growth.changes,
        left_out=growth.left_out,
        notes=growth.notes,
    )
    return growth.status
