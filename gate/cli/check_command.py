"""`gate check`: measure, judge, report."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.cli import options
from gate.cli.flow import Check, Plan, cases_of
from gate.cli.policy import make_policy, policy_options
from gate.cli.progress import Teller
from gate.cli.wiring import SideOptions, load_profiles, with_sides
from gate.errors import InputError, Interrupted
from gate.files.baseline_file import read_baselines
from gate.files.calibration_file import read_rounds
from gate.measure.sitting import now
from gate.measure.stop import Stop, StopRequested

if TYPE_CHECKING:
    from gate.model import Baseline, Profile

EPILOG = """\b
Examples:
  gate check                                 every profile, against baselines/
  gate check smoke-fio smoke-command         these two
  gate check build --base ../main --head .   pairs of two checkouts
  gate check --out reports/pr-17 --resume    go on after an interruption
  gate check --json > report.json            for machines; text goes to stderr

\b
Exit status: 0 open, 2 usage, 3 nothing compared, 4 a measurement failed,
5 cannot judge, 10 regression proven, 130 and 143 interrupted.
"""


@click.command(epilog=EPILOG)
@click.argument("profile", nargs=-1)
@options.profiles_dir
@options.size
@options.baseline_dir
@options.sides
@options.host_class
@click.option(
    "--out", type=options.PathParam, default=None, help="Directory for sessions and reports."
)
@click.option("--work", type=options.PathParam, default=None, help="Directory for data files.")
@click.option("--resume", is_flag=True, help="Go on with the check in --out.")
@options.wait
@policy_options
@options.as_json
@click.option("--quiet", is_flag=True, help="No progress.")
def command(
    profile: tuple[str, ...],
    profiles: Path,
    size: str,
    baseline: Path,
    base_dir: Path | None,
    head_dir: Path | None,
    base_env: tuple[str, ...],
    head_env: tuple[str, ...],
    host_class: str | None,
    out: Path | None,
    work: Path | None,
    alpha: float,
    beta: float,
    allow: tuple[str, ...],
    wait: float,
    *,
    resume: bool,
    json_: bool,
    quiet: bool,
) -> int:
    """Measure PROFILEs (default: all), judge them against the baseline, and report.

    The head side is screened against the accepted sessions. What the screen cannot clear is
    measured again: in random-order pairs of base and head where both can run, else in further
    head sessions. Sessions, report.json and report.html are written below --out.
    """
    sides = SideOptions(base_dir=base_dir, head_dir=head_dir, base_env=base_env, head_env=head_env)
    place = _out_directory(out, resume=resume)
    chosen = tuple(with_sides(one, sides) for one in load_profiles(profile, profiles, size))
    baselines, rounds = read_baselines(baseline), read_rounds(baseline)
    if not profile:
        _refuse_orphans(chosen, baselines)
    plan = Plan(
        profiles=chosen,
        baselines=baselines,
        policy=make_policy(alpha, beta, allow, baseline),
        out=place,
        work=work or place / "work",
        host_class=host_class,
        store=baseline,
        wait=wait,
    )
    teller = Teller(quiet=quiet)
    try:
        with Stop().listening() as stop:
            sessions = Check(plan, teller, stop).measure()
            from gate.cli.output import print_report, write_report  # noqa: PLC0415 - after measuring
            from gate.judge.judge import judge  # noqa: PLC0415 - scipy, after measuring

            cases = cases_of(sessions, plan)
            report = judge(cases, plan.policy, created=now(), version=__version__, rounds=rounds)
            stop.check()
            _, as_html = write_report(report, place)
    except StopRequested as request:
        raise Interrupted(
            request.number,
            f"interrupted; what was measured is kept in {place}.",
            cure="Continue with the same options and: "
            + shlex.join(["gate", "check", *profile, "--out", str(place), "--resume"]),
        ) from None
    print_report(report, json_=json_)
    click.echo(f"report: {as_html}", err=True)
    return report.exit_status


def _refuse_orphans(profiles: tuple[Profile, ...], baselines: tuple[Baseline, ...]) -> None:
    """All profiles are to be checked: one that only its baseline remembers must not be forgotten.

    Raises:
        InputError: G211.
    """
    known = {one.name for one in profiles}
    for one in baselines:
        if one.profile not in known and not one.profile_digest.startswith("imported:"):
            raise InputError(
                "G211",
                f"this is a baseline of profile {one.profile}, which is not there any more.",
                cure="Bring the profile back, or remove its baseline in the same change.",
                place=one.path,
            )


def _out_directory(out: Path | None, *, resume: bool) -> Path:
    """Where this check writes; never over another run's results.

    Raises:
        InputError: G222.
    """
    if out is None:
        if resume:
            raise InputError(
                "G200", "--resume needs the directory of the check.", cure="Name it with --out DIR."
            )
        return Path("reports") / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    if resume and not out.is_dir():
        raise InputError(
            "G201", "there is no check to resume.", cure="Check --out.", place=str(out)
        )
    if not resume and os.path.lexists(out) and (not out.is_dir() or any(out.iterdir())):
        raise InputError(
            "G222",
            "the output directory holds results already.",
            cure="Name another with --out, or continue that check with --resume.",
            place=str(out),
        )
    return out
