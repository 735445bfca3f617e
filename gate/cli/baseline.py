"""`gate baseline`: accept, show, compare."""

from __future__ import annotations

import getpass
import json
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from gate import vcs
from gate.cli import options
from gate.errors import InputError
from gate.formats.baseline.baseline_file import (
    forget_unnamed_configs,
    read_baselines,
    write_baseline,
)
from gate.formats.session.session_file import read_session
from gate.pipeline.accept.sessions import (
    accept_all,
    as_json,
    changes_between,
    group_sessions,
    json_answer,
)
from gate.text import clean, guard_line
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Baseline, Session

EPILOG_ACCEPT = """\b
Examples:
  gate baseline accept reports/sessions/*.json --reason "first baseline"
  gate baseline accept reports/pr-17/build/head.json \\
                       --reason "checksums are now on by default (#17)"
"""
EPILOG_SHOW = """\b
Examples:
  gate baseline show
  gate baseline show smoke-fio --json
"""
EPILOG_DIFF = """\b
Examples:
  gate baseline diff               working tree against the last commit
  gate baseline diff origin/main   against another revision
"""


@click.group()
def command() -> None:
    """What was accepted: the sessions that changes are compared with."""


@command.command(epilog=EPILOG_ACCEPT)
@click.argument("session", nargs=-1, required=True, type=options.PathParam)
@click.option("--reason", required=True, help="Why this level is right; reviewers will read it.")
@click.option("--by", default=None, help="Who accepts; by default git's user.name.")
@options.baseline_dir
@options.as_json
def accept(
    session: tuple[Path, ...], reason: str, by: str | None, baseline: Path, *, json_: bool
) -> int:
    """Accept SESSIONs, complete and undisturbed, into the baseline.

    Appends where the level is that of the current epoch; opens a new epoch where it moved.
    Nothing is written unless every session is acceptable. Commit the result: the pull request's
    reviewers see each level, old and new, and the reason.
    """
    places: dict[str, str] = {}
    sessions: list[Session] = []
    for path in dict.fromkeys(session):
        sessions.append(read_session(path))
        places[sessions[-1].id] = str(path)
    results = accept_all(baseline, sessions, by=by or _user(), reason=reason, places=places)
    groups = group_sessions(sessions)
    written = [(write_baseline(baseline, result.baseline), result) for result in results]
    classes = sorted({result.baseline.host_class for result in results})
    gone = [path for one in classes for path in forget_unnamed_configs(baseline, one)]
    told = [_proposals(result.baseline, groups) for _, result in written]
    if json_:
        rows = [
            {"path": str(path), "changes": result.changes, "proposals": lines}
            for (path, result), lines in zip(written, told, strict=True)
        ]
        click.echo(json.dumps({"schema": 1, "accepted": rows}, indent=1))
        return 0
    for (path, result), lines in zip(written, told, strict=True):
        click.echo(f"{path}")
        for text in (*result.changes, *lines):
            click.echo(guard_line(clean(f"  {text}")))
        if lines and not result.baseline.profile_digest.startswith("imported:"):
            click.echo(f"  `gate power {result.baseline.profile}` shows more")
    for path in gone:
        click.echo(f"removed {path}: no accepted session is of such a kernel any more")
    click.echo("Review and commit: gate baseline diff; git add, git commit.")
    return 0


def _proposals(
    baseline: Baseline, groups: Mapping[tuple[str, str], Sequence[Session]]
) -> tuple[str, ...]:
    """What to set otherwise, as far as the accepted sessions tell by now."""
    from gate.judge.power.power import asked_in, power_rows  # noqa: PLC0415 - scipy
    from gate.judge.power.sentences import proposals  # noqa: PLC0415
    from gate.judge.verdict.suite import Policy  # noqa: PLC0415

    newest = groups[baseline.host_class, baseline.profile][-1]
    policy = Policy()
    rows = power_rows(
        [asked_in(newest)],
        {baseline.profile: baseline},
        host_class=baseline.host_class,
        alpha=policy.alpha,
        beta=policy.beta,
        brief=True,
    )
    return proposals(rows)


def _user() -> str:
    """Who works here, as git or the system knows them.

    Raises:
        InputError: nobody is known.
    """
    try:
        return vcs.user_name(Path()) or getpass.getuser()
    except (KeyError, OSError) as error:
        raise InputError(
            "G200", "nobody is known to accept the sessions.", cure="Name somebody with --by NAME."
        ) from error


@command.command("show", epilog=EPILOG_SHOW)
@click.argument("profile", nargs=-1)
@options.baseline_dir
@options.as_json
def show_(profile: tuple[str, ...], baseline: Path, *, json_: bool) -> int:
    """Show the accepted level of every series, and how many sessions and epochs it has."""
    found = [b for b in read_baselines(baseline) if not profile or b.profile in profile]
    if not found:
        raise InputError(
            "G280",
            f"there is no baseline{' of ' + ', '.join(profile) if profile else ''}.",
            cure="Take sessions with `gate run`, then `gate baseline accept`.",
            place=str(baseline),
        )
    if json_:
        click.echo(
            json.dumps({"schema": 1, "series": [r for b in found for r in _rows(b)]}, indent=1)
        )
        return 0
    for one in found:
        click.echo(f"{one.profile} on {one.host_class}: {len(one.sessions)} sessions accepted")
        for series in one.series:
            levels = [median(point.values) for point in series.current]
            line = (
                f"  {series.benchmark} {series.metric}: {show(median(levels), series.unit)}, "
                f"{len(levels)} sessions in epoch {series.current[0].epoch}"
            )
            click.echo(guard_line(line))
        last = one.sessions[-1]
        click.echo(clean(f"last accepted {last.accepted[:10]} by {last.by}: {last.reason}"))
    return 0


def _rows(baseline: Baseline) -> list[dict[str, object]]:
    return [
        {
            "profile": baseline.profile,
            "host_class": baseline.host_class,
            "benchmark": series.benchmark,
            "metric": series.metric,
            "unit": series.unit,
            "better": series.better,
            "median": median([median(point.values) for point in series.current]),
            "sessions": len(series.current),
            "epoch": series.current[0].epoch,
        }
        for series in baseline.series
    ]


@command.command(epilog=EPILOG_DIFF)
@click.argument("revision", default="HEAD")
@options.baseline_dir
@options.as_json
def diff(revision: str, baseline: Path, *, json_: bool) -> int:
    """Compare the baselines in the working tree with those of a git REVISION."""
    after = read_baselines(baseline)
    with tempfile.TemporaryDirectory() as scratch:
        if not vcs.export(baseline, revision, Path(scratch)):
            raise InputError(
                "G200",
                f"git knows no revision {revision[:80]!r} here.",
                cure="Run it inside the repository, with a branch, tag or commit.",
                place=str(baseline),
            )
        before = read_baselines(Path(scratch))
    rows = changes_between(before, after)
    if json_:
        click.echo(json_answer(changes=as_json(rows)))
    else:
        click.echo("\n".join(guard_line(clean(row.text)) for row in rows) or "no change")
    return 0
