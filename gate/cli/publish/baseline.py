"""`gate publish baseline`: what passed on the default branch is added to its baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.publish import options as github_options

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from gate.cli.publish.options import GitHub
    from gate.pipeline.accept.candidates import Added, Ask

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


_ASK = ("mode", "branch", "first", "reason", "by", "profiles", "size", "baseline")


def _ask(**given: Any) -> Ask:
    from gate.pipeline.accept.candidates import Ask  # noqa: PLC0415 - the help is quick

    return Ask(**given)


@click.command(epilog=EPILOG)
@click.argument("out", nargs=-1, required=True, type=options.PathParam)
@click.option(
    "--mode",
    type=click.Choice(["pull-request", "push"]),
    default="pull-request",
    show_default=True,
    help="Keep one pull request open that adds the sessions, or commit to the branch.",
)
@click.option(
    "--branch", default="main", show_default=True, metavar="NAME", help="The default branch."
)
@click.option(
    "--first",
    is_flag=True,
    help="Take a first baseline: accept, unjudged, sessions of profiles that have too few.",
)
@click.option("--reason", default=None, help="Why a first baseline is right; needs --first.")
@click.option(
    "--by",
    default="github-actions[bot]",
    show_default=True,
    metavar="LOGIN",
    help="Whose word stands in the baseline.",
)
@options.profiles_dir
@options.size
@options.baseline_dir
@github_options.bundle("ask", _ask, *_ASK)
@github_options.github
@options.as_json
def command(github: GitHub, out: tuple[Path, ...], ask: Ask, *, json_: bool) -> int:
    """Add the sessions in OUT/session.json, measured on the default branch, to its baseline.

    They are judged again. A profile's session enters only where every gate metric of it passed, it
    is of a commit of the branch, and no other session of the day was added. What was improved,
    waived, new, inconclusive or disturbed never enters; a person may accept it.
    """
    from gate.pipeline.accept.default_branch import add  # noqa: PLC0415 - the help is quick

    added = add(github.api(), out, replace(ask, run_url=github.run_url()))
    _print_result(added, json_=json_)
    return added.status


def _print_result(added: Added, *, json_: bool) -> None:
    from gate.pipeline.accept.sessions import json_answer  # noqa: PLC0415 - the help is quick
    from gate.text import clean, guard_line  # noqa: PLC0415 - likewise

    done = added.done
    number = "" if done is None or done.number is None else str(done.number)
    github_options.write_outputs(
        {
            "pull": number,
            "branch": done.branch if done else "",
            "commit": done.commit if done else "",
        }
    )
    if json_:
        click.echo(
            json_answer(
                exit_status=added.status,
                action=done.action if done else "nothing",
                pull=done.number if done else None,
                url=done.url if done else "",
                branch=done.branch if done else "",
                commit=done.commit if done else "",
                changes=added.changes,
                left_out=added.left_out,
                notes=added.notes,
            )
        )
        return
    for profile, why in added.left_out.items():
        click.echo(guard_line(clean(f"left out: {profile}: {why}")))
    for note in added.notes:
        click.echo(guard_line(clean(note)))
    if done is None:
        click.echo("nothing was added to the baseline")
        return
    where = f"pull request {number}, {done.url}" if number else f"a commit on {done.branch}"
    click.echo(guard_line(clean(f"{done.action}: {where}")))
    for line in added.changes:
        click.echo(guard_line(clean(f"  {line}")))
