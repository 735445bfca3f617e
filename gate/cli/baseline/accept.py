"""`gate baseline accept`: sessions become the level that changes are compared with."""

from __future__ import annotations

import getpass
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate import vcs
from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.formats.baseline.baseline_file import forget_unnamed_configs, write_baseline
from gate.formats.only_writer import only_writer
from gate.formats.session.session_file import read_session
from gate.judge.host_stability.controls import blind_builtins
from gate.judge.power.power import asked_in, power_rows
from gate.judge.power.sentences import proposals
from gate.judge.verdict.suite import Policy
from gate.pipeline.accept.sessions import accept_all, group_sessions
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.power.power import PowerQuestion, PowerRow
    from gate.model import Baseline, Session

EPILOG = """\b
Examples:
  gate baseline accept reports/sessions/*.json --reason "first baseline"
  gate baseline accept reports/pr-17/build/head.json \\
                       --reason "checksums are now on by default (#17)"
"""


@click.command(epilog=EPILOG)
@click.argument("session", nargs=-1, required=True, type=options.PathParam)
@options.option("--reason", "Why this level is right; reviewers will read it.", required=True)
@options.option("--by", "Who accepts; by default git's user.name.")
@options.baseline_dir
@options.as_json
def command(
    session: tuple[Path, ...], reason: str, by: str | None, baseline: Path, *, json_: bool
) -> int:
    """Accept SESSIONs, complete and undisturbed, into the baseline.

    Appends where the level is that of the current epoch; opens a new epoch where it moved.
    Nothing is written unless every session is acceptable. Commit the result: the pull request's
    reviewers see each level, old and new, and the reason.
    """
    places: dict[str, str] = {}
    sessions: list[Session] = []
    for file in dict.fromkeys(session):
        sessions.append(read_session(file))
        places[sessions[-1].id] = str(file)
    who = by or _user()
    with only_writer(baseline) as demand_as_read:
        results = accept_all(baseline, sessions, by=who, reason=reason, places=places)
        demand_as_read()
        paths = [str(write_baseline(baseline, result.baseline)) for result in results]
        classes = sorted({result.baseline.host_class for result in results})
        gone = [path for one in classes for path in forget_unnamed_configs(baseline, one)]
    groups = group_sessions(sessions)
    advice = [_proposals(result.baseline, groups) for result in results]
    rows, lines = [], []
    for path, result, proposed in zip(paths, results, advice, strict=True):
        blind = blind_builtins(result.baseline)
        row = {"path": path, "changes": result.changes, "proposals": proposed, "warnings": blind}
        rows.append(row)
        said = (*result.changes, *proposed, *(f"warning: {text}" for text in blind))
        lines += [path, *(clean(f"  {text}") for text in said)]
        if proposed and not result.baseline.profile_digest.startswith("imported:"):
            lines.append(f"  `gate power {result.baseline.profile}` shows more")
    why = "no accepted session ran on a kernel with this configuration"
    lines += [f"removed {config}: {why}" for config in gone]
    lines.append("Review and commit: gate baseline diff; git add, git commit.")
    print_answer(lines, json_=json_, accepted=rows)
    return 0


def _proposals(
    baseline: Baseline, groups: Mapping[tuple[str, str], Sequence[Session]]
) -> tuple[str, ...]:
    """What to set otherwise, as far as the accepted sessions tell by now.

    Sessions measured without a base side do not know whether checks will have one: both are told.
    """
    asked = asked_in(groups[baseline.host_class, baseline.profile][-1])
    lines = proposals(_rows(baseline, asked))
    if not asked.sides:
        paired = _rows(baseline, replace(asked, sides=True))
        coarse = [one for one in paired if one.power and one.power.can_detect > one.tolerance]
        lines += tuple(f"with both sides, {line}" for line in proposals(coarse))
    return lines


def _rows(baseline: Baseline, asked: PowerQuestion) -> tuple[PowerRow, ...]:
    policy = Policy()
    return power_rows(
        [asked],
        {baseline.profile: baseline},
        host_class=baseline.host_class,
        alpha=policy.alpha,
        beta=policy.beta,
        brief=True,
    )


def _user() -> str:
    """Who works here, as git or the system knows them."""
    try:
        return vcs.user_name(Path()) or getpass.getuser()
    except (KeyError, OSError) as error:
        cure = "Name somebody with --by NAME."
        raise InputError("G200", "nobody is known to accept the sessions.", cure=cure) from error
