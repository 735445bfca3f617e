"""`gate check`: measure, judge, report."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.measure.process.stop import Stop
from gate.pipeline.check import run_check
from gate.pipeline.progress import ProgressDisplay
from gate.pipeline.reboot import going_on, restart_where_needed
from gate.pipeline.request import CheckRequest
from gate.pipeline.subprocess_call import call_in_subprocess, lasting_subprocess

if TYPE_CHECKING:
    from gate.judge.sharding import Shard
    from gate.model import Report
    from gate.pipeline.request import (
        HostOptions,
        OutputOptions,
        PolicyOptions,
        Selection,
        SideOptions,
    )

EPILOG = """\b
Examples:
  gate check                                 every profile, against baselines/
  gate check smoke-fio smoke-command         these two
  gate check build --base ../main --head .   pairs of two checkouts
  gate check --out reports/pr-17 --resume    go on after an interruption
  gate check --merge-base origin/main        judge by what main accepted
  gate check --base ../main --within 20min   end in time; what is open is closed
  gate check --shard 2/3                     part 2 of a check on 3 machines
  gate check db --benchmark 'db[iodepth=32]' one finding alone, at the desk
  gate check build --base ../main --pairs 200
                                             up to 200 pairs of what is flagged
  gate check --json > report.json            for machines; text goes to stderr

\b
Exit status: 0 open, 2 usage, 3 nothing compared, 4 a measurement failed,
5 cannot judge, 10 regression proven, 130 and 143 interrupted.
"""


@click.command(epilog=EPILOG)
@options.check_selection
@options.sides
@options.check_policy
@options.shard
@options.host
@options.check_output
def command(
    selection: Selection,
    sides: SideOptions,
    policy: PolicyOptions,
    shard: Shard,
    host: HostOptions,
    output: OutputOptions,
) -> int:
    """Measure PROFILEs (default: all), judge them against the baseline, and report.

    The head side is screened against the accepted sessions. What the screen cannot clear is
    measured again: in random-order pairs of base and head where both can run, else in further
    head sessions.

    However it ends, --out holds all sessions in one file (session.json), report.json and
    report.html. With --merge-base the tree under test is measured, and nothing in it decides what
    it is judged by.

    --benchmark and --pairs are for whoever looks into a finding: the report says what was left out
    or set otherwise, and a change is never judged so.
    """
    _refuse_for_a_change(selection, policy, shard)
    request = CheckRequest(
        selection=selection,
        sides=sides,
        policy=policy,
        shard=shard,
        host=host,
        output=output,
        place=_out_directory(output),
    )
    words = going_on("check", ("--out", str(request.place)), flag="--resume")
    with restart_where_needed(words, allowed=host.restart), lasting_subprocess():
        report = run_check(request, ProgressDisplay(quiet=output.quiet))
        shown = call_in_subprocess(Stop(), _shown, report, json_=output.json)
    click.echo(shown, nl=False)
    click.echo(f"report: {request.place / 'report.html'}", err=True)
    return report.exit_status


def _shown(report: Report, *, json_: bool) -> str:
    """The report as the terminal takes it; made where everything for that is loaded."""
    from gate.pipeline.report_files import shown_report  # noqa: PLC0415 - jinja

    return shown_report(report, json_=json_)


def _refuse_for_a_change(selection: Selection, policy: PolicyOptions, shard: Shard) -> None:
    """A change is judged by all of its benchmarks, and as its merge base says."""
    cure = "Leave --merge-base out to look into a finding, or check the change without it."
    if selection.benchmarks and policy.merge_base is not None:
        why = "--benchmark does not go with --merge-base: a change is judged by all it can reach."
        raise InputError("G200", why, cure=cure)
    if selection.pairs is not None and policy.merge_base is not None:
        why = "--pairs does not go with --merge-base, which says how many pairs there are."
        raise InputError("G200", why, cure=cure)
    if policy.unapproved and policy.merge_base is None:
        why = "--unapproved means nothing without --merge-base, which says what a change edits."
        raise InputError("G200", why, cure="Name what it is merged into.")
    if selection.benchmarks and shard.of > 1:
        why = "--benchmark does not go with --shard: the parts of a check make a whole."
        raise InputError("G200", why, cure="Leave one of them out.")


def _out_directory(output: OutputOptions) -> Path:
    """Where this check writes; never over another run's results."""
    out, resume = output.out, output.resume
    if out is None and resume:
        cure = "Name it with --out DIR."
        raise InputError("G200", "--resume needs the directory of the check.", cure=cure)
    if out is None:
        return Path("reports") / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    place = str(out)
    if resume and not out.is_dir():
        raise InputError("G201", "there is no check to resume.", cure="Check --out.", place=place)
    if not resume and os.path.lexists(out) and (not out.is_dir() or any(out.iterdir())):
        cure = "Name another with --out, or continue that check with --resume."
        why = "the output directory holds results already."
        raise InputError("G222", why, cure=cure, place=place)
    return out
