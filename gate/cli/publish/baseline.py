"""`gate publish baseline`: what passed on the default branch is added to its baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.publish import options as github_options
from gate.pipeline.accept.candidates import GrowthOptions
from gate.pipeline.accept.default_branch import grow_baseline
from gate.pipeline.accept.sessions import json_answer
from gate.text import clean, guard_line

if TYPE_CHECKING:
    from pathlib import Path

    from gate.cli.publish.options import GitHub
    from gate.pipeline.accept.candidates import BaselineGrowth

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
    click.option(
        "--mode",
        type=click.Choice(["pull-request", "push"]),
        default="pull-request",
        show_default=True,
        help="Keep one pull request open that adds the sessions, or commit to the branch.",
    ),
    click.option(
        "--branch", default="main", show_default=True, metavar="NAME", help="The default branch."
    ),
    click.option(
        "--first",
        is_flag=True,
        help="Take a first baseline: accept, unjudged, sessions of profiles that have too few.",
    ),
    click.option("--reason", help="Why a first baseline is right; needs --first."),
    click.option(
        "--by",
        default="github-actions[bot]",
        show_default=True,
        metavar="LOGIN",
        help="Who is recorded as having accepted it.",
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
    github_options.write_proposal_outputs(growth.done)
    if json_:
        click.echo(_as_json(growth))
    else:
        _print_growth(growth)
    return growth.status


def _as_json(growth: BaselineGrowth) -> str:
    done = growth.done
    return json_answer(
        exit_status=growth.status,
        action=done.action if done else "nothing",
        pull=done.number if done else None,
        url=done.url if done else "",
        branch=done.branch if done else "",
        commit=done.commit if done else "",
        changes=growth.changes,
        left_out=growth.left_out,
        notes=growth.notes,
    )


def _print_growth(growth: BaselineGrowth) -> None:
    left_out = [f"left out: {profile}: {why}" for profile, why in growth.left_out.items()]
    for line in (*left_out, *growth.notes):
        click.echo(guard_line(clean(line)))
    if growth.done is None:
        click.echo("nothing was added to the baseline")
    else:
        github_options.print_proposal(growth.done, growth.changes)
