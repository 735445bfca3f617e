"""`gate judge`: sessions and baselines to a verdict, from files alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.cli import options
from gate.cli.output import print_report, write_report
from gate.cli.policy import make_policy, policy_options
from gate.cli.wiring import load_profiles
from gate.files.baseline_file import read_baselines
from gate.files.session_file import read_session
from gate.judge.judge import judge
from gate.judge.suite import arrange
from gate.measure.sitting import now

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """\b
Examples:
  gate judge --session S.json --baseline baselines
  gate judge --session head.json --session pairs-base.json \\
             --session pairs-head.json --json
  gate judge --session S.json --profiles profiles   reviewed tolerances

\b
Exit status: 0 open, 2 usage, 3 nothing compared, 4 a measurement failed,
5 cannot judge, 10 regression proven.
"""


@click.command(epilog=EPILOG)
@click.option(
    "--session",
    "sessions",
    type=options.PathParam,
    multiple=True,
    help="A session file; may be repeated: confirming sessions, further head sessions.",
)
@options.baseline_dir
@click.option(
    "--profiles",
    type=options.PathParam,
    default=None,
    help="Take tolerances from these profiles, not from the session.",
)
@click.option(
    "--out",
    type=options.PathParam,
    default=None,
    help="Also write report.json and report.html here.",
)
@policy_options
@options.as_json
def command(
    sessions: tuple[Path, ...],
    baseline: Path,
    profiles: Path | None,
    out: Path | None,
    alpha: float,
    beta: float,
    allow: tuple[str, ...],
    *,
    json_: bool,
) -> int:
    """Judge sessions against the baseline, without measuring.

    The first whole head session of a profile is screened. Confirming sessions and further head
    sessions decide what the screen flags. A session's own tolerances are used unless --profiles
    names reviewed ones.
    """
    read = [read_session(path) for path in dict.fromkeys(sessions)]
    names = sorted({session.profile for session in read})
    reviewed = load_profiles(names, profiles) if profiles else ()
    cases = arrange(read, read_baselines(baseline), {p.name: p for p in reviewed})
    policy = make_policy(alpha, beta, allow, baseline)
    report = judge(cases, policy, created=now(), version=__version__)
    if out is not None:
        _, as_html = write_report(report, out)
        click.echo(f"report: {as_html}", err=True)
    print_report(report, json_=json_)
    return report.exit_status
