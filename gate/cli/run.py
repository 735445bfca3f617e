"""`gate run`: measure and write sessions, judge nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import CannotJudge
from gate.formats.session.session_file import write_handover
from gate.model import SCHEMA, Handover, TrialStatus
from gate.pipeline.progress import ProgressDisplay
from gate.pipeline.run import RunRequest, SessionOptions, run_sessions
from gate.text import one_line

if TYPE_CHECKING:
    from gate.model import Session
    from gate.pipeline.request import HostOptions, Selection, SideOptions

_MEASURE_FAILED = 4
_SHOWN = ("id", "state", "profile")
"""Of a session, in JSON."""
_CURE = "Find out who works on this machine, and measure again when it is quiet."

EPILOG = """\b
Examples:
  gate run smoke-command                    one session of the head side
  gate run smoke-command --repeat 5         five sessions, for a first baseline
  gate run smoke-command --trials 10        one that knows its noise better
  gate run smoke-command --side base        the base side instead
  gate run db --benchmark 'db[iodepth=32]'  one benchmark alone
  gate run --repeat 5 --handover all.json   one file that crosses to another machine
  gate run smoke-command --wait 10min       wait while another gate measures
  gate run --resume reports/sessions/S.json finish an interrupted session

\b
Exit status: 0 every trial gave its values, 4 a trial failed, 5 the host is
busy, or was disturbed so much that a session cannot be judged, 130 and 143
interrupted (the session is kept and can be resumed).
"""


_sessions = options.bundle(
    "sessions",
    SessionOptions,
    click.option("--side", type=click.Choice(["base", "head"]), show_default="head"),
    options.option("--repeat", "Sessions per profile.", type=click.IntRange(1, 1000)),
    options.option(
        "--trials",
        "Trials of each benchmark, instead of the profile's: 10 for a baseline.",
        type=click.IntRange(2, 1000),
    ),
    options.path("--out", "Directory for the sessions.", default=Path("reports/sessions")),
    options.path("--handover", "Also write all sessions into this one file, for another machine."),
    options.path("--resume", "A partial session to finish."),
)


@click.command(epilog=EPILOG)
@options.narrowed_selection
@options.sides
@options.baseline_dir
@_sessions
@options.host
@options.as_json
@options.quiet
def command(
    selection: Selection,
    sides: SideOptions,
    baseline: Path,
    sessions: SessionOptions,
    host: HostOptions,
    *,
    json_: bool,
    quiet: bool,
) -> int:
    """Measure PROFILEs (default: all) and write one session file per profile and repetition.

    Nothing is judged. To make a baseline, measure an unchanged tree on several days and accept
    the sessions with `gate baseline accept`; more --trials make its noise better known. A session
    that --benchmark narrowed is for looking at, and becomes no baseline.
    """
    request = RunRequest(
        selection=selection, sides=sides, baseline=baseline, host=host, sessions=sessions
    )
    written = run_sessions(request, ProgressDisplay(quiet=quiet))
    if sessions.handover is not None:
        every = tuple(session for _, session in written)
        handover = Handover(schema=SCHEMA, version=__version__, sessions=every)
        write_handover(sessions.handover, handover)
    return _print_sessions(written, json_=json_)


def _print_sessions(written: list[tuple[Path, Session]], *, json_: bool) -> int:
    failed = [
        trial
        for _, session in written
        for trial in session.trials
        if trial.status not in {TrialStatus.OK, TrialStatus.ASIDE}
    ]
    print_answer(
        (f"session {session.id}: {_trials(session)} in {path}" for path, session in written),
        json_=json_,
        sessions=[
            {"path": str(path)} | {name: getattr(session, name) for name in _SHOWN}
            for path, session in written
        ],
        failed_trials=len(failed),
    )
    for trial in failed:
        click.echo(one_line(f"failed: {trial.benchmark}: {trial.note}"), err=True)
    gave_up = [_disturbed(path, session) for path, session in written if session.disturbances]
    if failed:
        return _MEASURE_FAILED
    return CannotJudge.status if any(gave_up) else 0


def _disturbed(path: Path, session: Session) -> bool:
    """Say why a session cannot be judged; whether trials are lacking because of it."""
    kept = Counter(t.benchmark for t in session.trials if t.status is not TrialStatus.ASIDE)
    gave_up = any(kept[plan.benchmark] < plan.trials for plan in session.planned)
    error = CannotJudge("G248", f"{session.disturbances[0]}.", cure=_CURE, place=str(path))
    click.echo(f"{'error[G248]' if gave_up else 'disturbed'}: {one_line(str(error))}", err=True)
    return gave_up


def _trials(session: Session) -> str:
    """How many trials a session holds, and how many of them do not count."""
    aside = sum(trial.status is TrialStatus.ASIDE for trial in session.trials)
    note = f", {aside} set aside" if aside else ""
    return f"{len(session.trials)} trials{note}"
