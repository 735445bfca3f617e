"""`gate check`: measure, judge, report."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from gate.cli import options
from gate.cli.options import policy_options
from gate.errors import InputError
from gate.pipeline.benchmark_filter import benchmark_option, pairs_option
from gate.pipeline.check import CheckRequest, check
from gate.pipeline.progress import Teller
from gate.pipeline.reboot import going_on, restart_where_needed
from gate.pipeline.shards import Shard, shard_option
from gate.pipeline.side_options import SideOptions

EPILOG = """\b
Examples:
  gate check                                 every profile, against baselines/
  gate check smoke-fio smoke-command         these two
  gate check build --base ../main --head .   pairs of two checkouts
  gate check --out reports/pr-17 --resume    go on after an interruption
  gate check --merge-base origin/main        judge by what main accepted
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
@click.argument("profile", nargs=-1)
@options.profiles_dir
@options.size
@benchmark_option
@pairs_option
@options.baseline_dir
@options.sides
@options.host_class
@click.option(
    "--merge-base",
    metavar="REV",
    help="Judge by the tolerances, baselines and waivers of this commit; changes of them are told.",
)
@shard_option
@click.option(
    "--out", type=options.PathParam, default=None, help="Directory for sessions and reports."
)
@click.option("--work", type=options.PathParam, default=None, help="Directory for data files.")
@click.option("--resume", is_flag=True, help="Go on with the check in --out.")
@click.option(
    "--why/--no-why",
    default=True,
    help="Run what regressed a few times more, to see what moved with it.",
)
@options.restart
@options.wait
@policy_options
@options.as_json
@click.option("--quiet", is_flag=True, help="No progress.")
def command(
    profile: tuple[str, ...],
    profiles: Path,
    size: str,
    benchmark: tuple[str, ...],
    pairs: int | None,
    baseline: Path,
    base_dir: Path | None,
    head_dir: Path | None,
    base_env: tuple[str, ...],
    head_env: tuple[str, ...],
    subject_file: Path | None,
    host_class: str | None,
    merge_base: str | None,
    shard: Shard,
    out: Path | None,
    work: Path | None,
    alpha: float,
    beta: float,
    allow: tuple[str, ...],
    wait: float,
    *,
    resume: bool,
    restart: bool,
    why: bool,
    json_: bool,
    quiet: bool,
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
    _refuse_for_a_change(merge_base, shard, benchmark, pairs)
    sides = SideOptions(
        base_dir=base_dir,
        head_dir=head_dir,
        base_env=base_env,
        head_env=head_env,
        subject=subject_file,
    )
    wanted = CheckRequest(
        names=profile,
        profiles=profiles,
        baseline=baseline,
        size=size,
        benchmarks=benchmark,
        pairs=pairs,
        sides=sides,
        host_class=host_class,
        merge_base=merge_base,
        shard=shard,
        place=_out_directory(out, resume=resume),
        named=out is not None,
        work=work,
        wait=wait,
        alpha=alpha,
        beta=beta,
        allow=allow,
        why=why,
        restart=restart,
    )
    words = going_on("check", ("--out", str(wanted.place)), flag="--resume")
    with restart_where_needed(words, allowed=restart):
        report = check(wanted, Teller(quiet=quiet))
    from gate.pipeline.report_files import print_report  # noqa: PLC0415 - jinja, after measuring

    print_report(report, json_=json_)
    click.echo(f"report: {wanted.place / 'report.html'}", err=True)
    return report.exit_status


def _refuse_for_a_change(
    merge_base: str | None, shard: Shard, benchmarks: tuple[str, ...], pairs: int | None
) -> None:
    """A change is judged by all of its benchmarks, and as its merge base says.

    Raises:
        InputError: G200.
    """
    cure = "Leave --merge-base out to look into a finding, or check the change without it."
    if benchmarks and merge_base is not None:
        said = "--benchmark does not go with --merge-base: a change is judged by all it can reach."
        raise InputError("G200", said, cure=cure)
    if pairs is not None and merge_base is not None:
        said = "--pairs does not go with --merge-base, which says how many pairs there are."
        raise InputError("G200", said, cure=cure)
    if benchmarks and shard.of > 1:
        said = "--benchmark does not go with --shard: the parts of a check make a whole."
        raise InputError("G200", said, cure="Leave one of them out.")


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
