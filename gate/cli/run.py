"""`gate run`: measure and write sessions, judge nothing.

What a `gate run` that goes on may be asked for: the session to finish says what it is of.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate import __version__
from gate.cli import options
from gate.errors import CannotJudge, InputError, Interrupted
from gate.formats.profile.profiles import load_profiles
from gate.formats.session.session_file import read_session, write_handover
from gate.host.lock import exclusive
from gate.measure.process.stop import Stop, StopRequested
from gate.measure.screening import measure_session
from gate.measure.setup import HostUse, open_run, prepare_run
from gate.model import SCHEMA, Handover, Side, Stage, TrialStatus
from gate.pipeline.benchmark_filter import benchmark_option, narrow_profiles, refuse_others
from gate.pipeline.host_reservation import HostPlace, reserved_host, work_directory
from gate.pipeline.progress import Teller, one_line
from gate.pipeline.reboot import forget_restarts, going_on, restart_where_needed
from gate.pipeline.side_options import SideOptions, with_sides
from gate.subject.metal import RestartNeeded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.measure.run_context import RunContext
    from gate.model import Profile, Session


def resumed_session(
    path: Path,
    profile: tuple[str, ...],
    side: str | None,
    repeat: int | None,
    trials: int | None,
) -> Session:
    """The session to finish, which alone says of what it is.

    Raises:
        InputError: it belongs to a check, or an option asks for another one.
    """
    session = read_session(path)
    if session.stage is Stage.CONFIRM:
        raise InputError(
            "G221",
            "this session holds confirming trials, which belong to a check.",
            cure="Continue the check: gate check --out DIR --resume.",
            place=str(path),
        )
    other = " ".join(name for name in profile if name != session.profile)
    planned = {plan.trials for plan in session.planned}
    for what, asked in (
        (f"profile {other[:80]}", bool(other)),
        (f"--side {side}", side not in {None, session.side.value}),
        (f"--repeat {repeat}", repeat not in {None, 1}),
        (f"--trials {trials}", trials is not None and planned != {trials}),
    ):
        if asked:
            raise InputError(
                "G200",
                f"{what}: the session to resume is one of profile {session.profile}, "
                f"{session.side.value} side, {max(planned, default=0)} trials of a benchmark.",
                cure="Leave that out, or run it on its own.",
                place=str(path),
            )
    return session


def refuse_many(chosen: Sequence[Profile], repeat: int | None) -> None:
    """What goes on after a restart is one session.

    Raises:
        InputError: G200.
    """
    if len(chosen) > 1 or repeat not in {None, 1}:
        raise InputError(
            "G200",
            "sessions of this machine's own kernels are measured one at a time: each trial is a "
            "restart.",
            cure="Name one profile, without --repeat, and start it again for the next session.",
        )


_MEASURE_FAILED = 4
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


@click.command(epilog=EPILOG)
@click.argument("profile", nargs=-1)
@options.profiles_dir
@options.size
@benchmark_option
@options.sides
@options.host_class
@options.baseline_dir
@click.option("--side", type=click.Choice(["base", "head"]), show_default="head")
@click.option("--repeat", type=click.IntRange(1, 1000), help="Sessions per profile.")
@click.option(
    "--trials",
    type=click.IntRange(2, 1000),
    help="Trials of each benchmark, instead of the profile's: 10 for a baseline.",
)
@click.option(
    "--out",
    type=options.PathParam,
    default=Path("reports/sessions"),
    show_default=True,
    help="Directory for the sessions.",
)
@click.option(
    "--handover",
    type=options.PathParam,
    default=None,
    help="Also write all sessions into this one file, for another machine.",
)
@click.option("--work", type=options.PathParam, default=None, help="Directory for data files.")
@click.option("--resume", type=options.PathParam, default=None, help="A partial session to finish.")
@options.restart
@options.wait
@options.as_json
@click.option("--quiet", is_flag=True, help="No progress.")
def command(
    profile: tuple[str, ...],
    profiles: Path,
    size: str,
    benchmark: tuple[str, ...],
    base_dir: Path | None,
    head_dir: Path | None,
    base_env: tuple[str, ...],
    head_env: tuple[str, ...],
    subject_file: Path | None,
    host_class: str | None,
    baseline: Path,
    side: str | None,
    repeat: int | None,
    trials: int | None,
    out: Path,
    handover: Path | None,
    work: Path | None,
    resume: Path | None,
    wait: float,
    *,
    restart: bool,
    json_: bool,
    quiet: bool,
) -> int:
    """Measure PROFILEs (default: all) and write one session file per profile and repetition.

    Nothing is judged. To make a baseline, measure an unchanged tree on several days and accept
    the sessions with `gate baseline accept`; more --trials make its noise better known. A session
    that --benchmark narrowed is for looking at, and becomes no baseline.
    """
    resumed = resumed_session(resume, profile, side, repeat, trials) if resume else None
    sides = SideOptions(
        base_dir=base_dir,
        head_dir=head_dir,
        base_env=base_env,
        head_env=head_env,
        subject=subject_file,
    )
    names = (resumed.profile,) if resumed else profile
    every = [with_sides(one, sides) for one in load_profiles(names, profiles, size)]
    chosen = narrow_profiles(every, benchmark, named=bool(names))
    if resumed is not None and benchmark:
        refuse_others(resumed, chosen, resume)
    if any(one.subject.metal for one in chosen):
        refuse_many(chosen, repeat)
    measured = Side(side or "head") if resumed is None else resumed.side
    teller = Teller(quiet=quiet)
    written: list[tuple[Path, Session]] = []
    path = resume or out
    try:
        with ExitStack() as stack:
            stop = stack.enter_context(Stop().listening())
            alone = exclusive(wait=wait, tell=teller.say, pause=stop.sleep)
            place = HostPlace(store=baseline, work=work or out / "work", host_class=host_class)
            ground = stack.enter_context(reserved_host(alone, teller.say, place))
            directory = stack.enter_context(work_directory(work or out / "work"))
            stack.callback(teller.done)
            use = HostUse(
                work=directory,
                host_class=host_class,
                stop=stop,
                tell=teller,
                say=teller.say,
                store=baseline,
                tuned=ground.tuned,
            )
            sittings = [
                prepare_run(_with_trials(_with_side(one, measured), trials), use) for one in chosen
            ]
            for _ in range(repeat or 1):
                for sitting in sittings:
                    path = resume or _fresh(out, sitting)
                    with open_run(sitting):
                        session = measure_session(sitting, measured, path, resumed=resumed)
                    written.append((path, session))
    except RestartNeeded as need:
        with restart_where_needed(going_on("run", ("--resume", str(path))), allowed=restart):
            raise need from None
    except StopRequested as request:
        raise Interrupted(
            request.number,
            f"interrupted; sessions finished: {len(written)}{_partial(path)}.",
            cure="Finish it with the same options and: "
            + shlex.join(["gate", "run", "--resume", str(path)])
            if path.is_file()
            else "Run the same command again.",
        ) from None
    if resumed is not None:
        forget_restarts(going_on("run", ("--resume", str(path))))
    if handover is not None:
        sessions = tuple(session for _, session in written)
        write_handover(handover, Handover(schema=SCHEMA, version=__version__, sessions=sessions))
    return _say(written, json_=json_)


def _partial(path: Path) -> str:
    return f"; {path} is partial" if path.is_file() else ""


def _with_side(profile: Profile, side: Side) -> Profile:
    if side is Side.BASE and "base" not in profile.sides:
        raise InputError(
            "G234",
            f"profile {profile.name} declares no base side.",
            cure="Declare [side.base], or pass --base DIR.",
            place=profile.path,
        )
    return profile


def _with_trials(profile: Profile, trials: int | None) -> Profile:
    """The profile with so many trials; what it runs, and so its digest, is the same."""
    if trials is None:
        return profile
    return replace(profile, trials=replace(profile.trials, screen=trials))


def _fresh(out: Path, sitting: RunContext) -> Path:
    """A file name nobody has: the profile and a running number."""
    number = 1
    while (path := out / f"{sitting.profile.name}-{number:03d}.json").exists():
        number += 1
    return path


def _say(written: list[tuple[Path, Session]], *, json_: bool) -> int:
    failed = [
        trial
        for _, session in written
        for trial in session.trials
        if trial.status not in {TrialStatus.OK, TrialStatus.ASIDE}
    ]
    if json_:
        rows = [
            {
                "path": str(path),
                "id": session.id,
                "state": session.state,
                "profile": session.profile,
            }
            for path, session in written
        ]
        click.echo(
            json.dumps({"schema": 1, "sessions": rows, "failed_trials": len(failed)}, indent=1)
        )
    else:
        for path, session in written:
            click.echo(one_line(f"session {session.id}: {_trials(session)} in {path}"))
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
    told = f", {aside} set aside" if aside else ""
    return f"{len(session.trials)} trials{told}"
