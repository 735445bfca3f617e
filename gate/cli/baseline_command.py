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
from gate.files.baseline_file import read_baselines, write_baseline
from gate.files.host_file import read_known_host
from gate.files.session_file import read_session
from gate.measure.sitting import now
from gate.report.clean import clean, guarded
from gate.units import percent, show, show_pair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Baseline, BaselineSeries, Session

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
    from gate.judge.accept import Acceptance, Accepted  # noqa: PLC0415 - scipy
    from gate.judge.accept import accept as accept_sessions  # noqa: PLC0415

    acceptance = Acceptance(by=by or _user(), reason=reason, accepted=now())
    known = {(b.host_class, b.profile): b for b in read_baselines(baseline)}
    groups: dict[tuple[str, str], list[Session]] = {}
    places: dict[str, str] = {}
    for path in dict.fromkeys(session):
        one = read_session(path)
        places[one.id] = str(path)
        groups.setdefault((one.host.host_class, one.profile), []).append(one)
    results: list[Accepted] = []
    for key, sessions in sorted(groups.items()):
        ordered = sorted(sessions, key=lambda s: (s.started, s.id))
        host = read_known_host(baseline, key[0])
        results.append(
            accept_sessions(known.get(key), ordered, acceptance, host=host, places=places)
        )
    written = [(write_baseline(baseline, result.baseline), result) for result in results]
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
            click.echo(guarded(clean(f"  {text}")))
        if lines and not result.baseline.profile_digest.startswith("imported:"):
            click.echo(f"  `gate power {result.baseline.profile}` shows more")
    click.echo("Review and commit: gate baseline diff; git add, git commit.")
    return 0


def _proposals(
    baseline: Baseline, groups: Mapping[tuple[str, str], Sequence[Session]]
) -> tuple[str, ...]:
    """What to set otherwise, as far as the accepted sessions tell by now."""
    from gate.judge.power import asked_in, power_rows  # noqa: PLC0415 - scipy
    from gate.judge.power_words import proposals  # noqa: PLC0415
    from gate.judge.suite import Policy  # noqa: PLC0415

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
            click.echo(guarded(line))
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
    old = {_key(b, s): s for b in before for s in b.series}
    new = {_key(b, s): (s, b) for b in after for s in b.series}
    rows = [
        _change(key, old.get(key), *new.get(key, (None, None)))
        for key in sorted(old.keys() | new.keys())
        if key not in new or old.get(key) != new[key][0]
    ]
    if json_:
        click.echo(json.dumps({"schema": 1, "changes": rows}, indent=1))
    else:
        click.echo("\n".join(guarded(clean(str(row["text"]))) for row in rows) or "no change")
    return 0


def _key(baseline: Baseline, series: BaselineSeries) -> tuple[str, str, str, str]:
    return baseline.host_class, baseline.profile, series.benchmark, series.metric


def _change(
    key: tuple[str, str, str, str],
    before: BaselineSeries | None,
    after: BaselineSeries | None,
    baseline: Baseline | None,
) -> dict[str, object]:
    """One row: from, to, how much, whether an epoch opened, and why."""
    host_class, profile, benchmark, metric = key
    was = _level(before)
    now_ = _level(after)
    known = after or before
    unit = known.unit if known else "1"
    reason = baseline.sessions[-1].reason if baseline and baseline.sessions else ""
    name = f"{profile} {benchmark} {metric}"
    if after is None:
        text = f"{name}: removed (was {show(was, unit)})"
    elif before is None:
        text = f"{name}: new at {show(now_, unit)}, because: {reason}"
    else:
        opened = after.current[0].epoch > before.current[0].epoch
        kind = f"epoch {after.current[0].epoch}" if opened else "appended"
        moved = percent(now_ / was - 1) if was and now_ else "?"
        text = f"{name}: {show_pair(was, now_, unit)} ({moved}), {kind}, because: {reason}"
    return {
        "host_class": host_class,
        "profile": profile,
        "benchmark": benchmark,
        "metric": metric,
        "before": was,
        "after": now_,
        "reason": reason,
        "text": text,
    }


def _level(series: BaselineSeries | None) -> float | None:
    return median([median(p.values) for p in series.current]) if series else None
