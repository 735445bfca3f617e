"""`gate publish required`: the one job that a branch requires. Needs nothing but click."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path

import click

from gate.cli.answer import print_answer
from gate.errors import GateError, InputError
from gate.formats import disk
from gate.publish.github.runner_commands import append_summary
from gate.publish.required import LARGEST, JobsVerdict, judge_jobs
from gate.text import command_line

CLOSED = 5
"""Exit status: nothing says that the change may get in."""

EPILOG = """\b
Examples:
  gate publish required --needs "$NEEDS"      NEEDS is ${{ toJSON(needs) }}
  gate publish required --needs @needs.json   from a file; - is stdin

\b
Exit status: 0 open, 2 --needs is not what GitHub gives, 5 closed,
6 the summary could not be written.
"""


@click.command(epilog=EPILOG)
@click.option(
    "--needs",
    required=True,
    metavar="JSON|@FILE|-",
    help="GitHub's toJSON(needs): how every job that this one needs ended.",
)
@click.option("--json", "json_", is_flag=True, help="Print JSON for machines.")
def command(needs: str, *, json_: bool) -> int:
    """Say for all jobs together whether the gate is open; last job of a workflow, `if: always()`.

    Open only when every job succeeded and each job with an output `gate`, one at least, says
    `open`. A job that failed, was cancelled, superseded or skipped, or that no runner answered, is
    named with its reason and keeps the gate closed.
    """
    try:
        answer = judge_jobs(_text(needs))
    except GateError as error:
        _publish(JobsVerdict(open=False, headline=f"gate closed: {error}", jobs=()), json_=json_)
        raise
    print_answer(
        [answer.headline, *(f"  {job.name}: {job.reason}" for job in answer.jobs)],
        json_=json_,
        gate="open" if answer.open else "closed",
        headline=answer.headline,
        jobs=[asdict(job) for job in answer.jobs],
    )
    _publish(answer, json_=json_)
    return 0 if answer.open else CLOSED


def _text(needs: str) -> str:
    """What was given, or what stands in the file or on stdin."""
    if needs == "-":
        return sys.stdin.buffer.read(LARGEST + 1).decode("utf-8", "replace")
    if needs.startswith("@"):
        return disk.read_text(Path(needs[1:]), "summary")
    if not needs.strip():
        cure = "Give it `${{ toJSON(needs) }}` in a job that needs all the others."
        raise InputError("G200", "--needs is empty.", cure=cure)
    return needs


def _publish(answer: JobsVerdict, *, json_: bool) -> None:
    """The annotation of a closed gate, and the summary."""
    if not answer.open:
        # A runner reads both streams; a program that asked for JSON reads stdout.
        click.echo(command_line("error", answer.headline, title="driftgate"), err=json_)
    given = os.environ.get("GITHUB_STEP_SUMMARY")
    if given:
        title = "## ✓ driftgate: gate open" if answer.open else "## ✗ driftgate: gate closed"
        rows = [f"- `{job.name}`: {job.reason}" for job in answer.jobs]
        text = "\n".join([title, "", *(rows or ["The results of the jobs could not be read."]), ""])
        append_summary(Path(given), text, f"{title}\n")
