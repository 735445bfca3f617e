"""`gate judge`: sessions and baselines to a verdict, from files alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.cli import options
from gate.clock import now
from gate.errors import InputError
from gate.formats.profile.sizes import FULL
from gate.pipeline.check_outputs import closing_report_in
from gate.pipeline.judge_handovers import JudgeRequest, judge_sessions
from gate.pipeline.report_files import print_report, write_report
from gate.review.policy_reader import make_policy

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Report

EPILOG = """\b
Examples:
  gate judge --session S.json --baseline baselines
  gate judge --session head.json --session base.json \\
             --session pairs-base.json --session pairs-head.json --json
  gate judge --session S.json --profiles profiles   reviewed tolerances
  gate judge --session one/session.json --session two/session.json \\
             --shards 2 --merge-base origin/main --proposed HEAD
  gate judge --summary article.toml --tolerance 3%   means that somebody printed

\b
Exit status: 0 open, 2 usage, 3 nothing compared, 4 a measurement failed,
5 cannot judge, 10 regression proven.
"""


_request = options.bundle(
    "request",
    JudgeRequest,
    options.path(
        "--session",
        "sessions",
        "A session or handover file; may be repeated: confirming sessions, further head "
        "sessions, the parts of a check.",
        multiple=True,
    ),
    options.baseline_dir,
    options.path("--profiles", "Take tolerances from these profiles, not from the session."),
    options.size,
    options.merge_base(
        "Judge by the profiles and baselines of the newest commit in common with REV, such as "
        "origin/main."
    ),
    options.option(
        "--proposed",
        "The commit that is judged, whose edits of profiles and baselines are shown.",
        metavar="REV",
        show_default="the working tree",
    ),
    options.option(
        "--only",
        "With --merge-base: a profile that had to be measured, by default all; repeatable.",
        multiple=True,
        metavar="PROFILE",
    ),
    options.option(
        "--measured",
        "The commit that the sessions are of, where the one judged only adds baselines to it.",
        metavar="REV",
        show_default="the one judged",
    ),
    options.accepted,
    options.option(
        "--workflows-approved",
        "With --proposed: edits of workflows and of who reviews them were approved, and do not "
        "close the gate.",
        is_flag=True,
    ),
    options.option(
        "--shards", "Demand so many parts of a check, each once.", type=click.IntRange(1, 256)
    ),
    options.alpha,
    options.beta,
    options.allow,
)


@click.command(epilog=EPILOG)
@_request
@options.path(
    "--summary",
    "summaries",
    "A file of printed means, judged without sessions; may be repeated.",
    multiple=True,
)
@options.option("--tolerance", "Tolerance of every row of a summary, whatever it says.")
@options.path(
    "--out",
    "Also write report.json and report.html here, closed on an error; older ones are renamed "
    "to *.old.",
)
@options.as_json
def command(
    request: JudgeRequest,
    summaries: tuple[Path, ...],
    tolerance: str | None,
    out: Path | None,
    *,
    json_: bool,
) -> int:
    """Judge sessions against the baseline, or printed means, without measuring.

    The first whole head session of a profile is screened. Confirming sessions and further head
    sessions decide what the screen flags. A session's own tolerances are used unless --profiles
    names reviewed ones, or --merge-base does: then each profile that is there must have been
    measured, and what the change edits of profiles, baselines, waivers and host files is shown
    and not in force.

    A summary holds means of both sides from a publication, with spread and number of trials where
    they are printed (`gate schema summary`). Only what these prove is claimed.
    """
    with closing_report_in(out):
        _refuse_mixture(request, summaries, tolerance)
        report = (
            _judge_means(request, summaries, tolerance) if summaries else judge_sessions(request)
        )
        if out is not None:
            write_report(report, out)
    if out is not None:
        click.echo(f"report: {out / 'report.html'}", err=True)
    print_report(report, json_=json_)
    return report.exit_status


def _judge_means(
    request: JudgeRequest, summaries: tuple[Path, ...], tolerance: str | None
) -> Report:
    # Sessions ask for none of it, and starting this command is most of what judging one takes.
    from gate.formats.published.summary_file import read_summary  # noqa: PLC0415
    from gate.judge.printed_means import judge_summaries  # noqa: PLC0415

    ratio = None if tolerance is None else options.ratio_in("--tolerance", tolerance)
    figures = [read_summary(path) for path in dict.fromkeys(summaries)]
    policy = make_policy(request.alpha, request.beta, request.allow, request.baseline)
    return judge_summaries(figures, policy, tolerance=ratio, created=now(), version=__version__)


def _refuse_mixture(
    request: JudgeRequest, summaries: tuple[Path, ...], tolerance: str | None
) -> None:
    """Refuse options that would be ignored in silence, and two kinds of promise in one report."""
    if request.size != FULL and request.profiles is None and request.merge_base is None:
        cure = "Say with --profiles DIR which profiles are meant."
        raise InputError("G200", "--size means nothing without --profiles.", cure=cure)
    if request.only and request.merge_base is None:
        raise InputError("G200", "--only means nothing without --merge-base.")
    if not summaries and tolerance is not None:
        cure = "The tolerances of sessions come from their profiles: --profiles."
        raise InputError("G200", "--tolerance is for --summary only.", cure=cure)
    if not summaries:
        return
    if request.sessions:
        cure = "Judge them in two calls: trials and printed means do not share one promise."
        raise InputError("G200", "--summary does not go together with --session.", cure=cure)
    if request.profiles is not None:
        cure = "Set the tolerance of a summary with --tolerance."
        raise InputError("G200", "--profiles means nothing to --summary.", cure=cure)
    if request.allow:
        cure = "Leave it out: a summary holds both sides, so nothing in it is new."
        raise InputError("G200", "--allow means nothing to --summary.", cure=cure)
    for name in ("merge_base", "proposed", "shards"):
        if getattr(request, name) is not None:
            message = f"--{name.replace('_', '-')} means nothing to --summary."
            raise InputError("G200", message, cure="It is for sessions: leave it out.")
