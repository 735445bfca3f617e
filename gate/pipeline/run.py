"""Sessions measured for their own sake: `gate run` in its steps."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import InputError, Interrupted
from gate.formats.profile.profile_file import load_profiles
from gate.formats.session.session_file import fresh_path, read_session
from gate.measure.process.stop import Stop, StopRequested
from gate.measure.screening import measure_session
from gate.measure.setup import open_run
from gate.model import Side, Stage
from gate.pipeline.benchmark_filter import narrow_profiles, refuse_others
from gate.pipeline.host_reservation import HostClaim, reserved_host
from gate.pipeline.reboot import forget_restarts, going_on, restart_where_needed
from gate.pipeline.request import with_sides
from gate.subject.metal import RestartNeeded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gate.model import Profile, Session
    from gate.pipeline.progress import ProgressDisplay
    from gate.pipeline.request import HostOptions, Selection, SideOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """Which sessions to take, and where they go; None where an option was not given."""

    side: str | None
    repeat: int | None
    """Sessions of each profile."""
    trials: int | None
    """Trials of each benchmark, instead of the profile's."""
    out: Path
    handover: Path | None
    """A file that takes all sessions."""
    resume: Path | None
    """A partial session to finish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """Sessions as the command line asks for them."""

    selection: Selection
    sides: SideOptions
    baseline: Path
    host: HostOptions
    sessions: SessionOptions


def run_sessions(request: RunRequest, ui: ProgressDisplay) -> list[tuple[Path, Session]]:
    """Measure sessions, each left in a file of its own; judge nothing.

    Raises:
        Interrupted: a signal came; the partial session can be resumed.
        RestartNeeded: a trial needs another kernel, and nobody allowed a restart.
        GateError: a profile is wrong, the host busy, or nothing can be measured.
    """
    options = request.sessions
    resumed = _resumed_session(request, options.resume) if options.resume else None
    profiles = _profiles(request, resumed)
    side = Side(options.side or "head") if resumed is None else resumed.side
    _refuse_without_side(profiles, side)
    if options.trials is not None:  # what they run, and so their digest, is the same
        trials = options.trials
        profiles = [replace(p, trials=replace(p.trials, screen=trials)) for p in profiles]
    use = HostClaim(
        store=request.baseline,
        work=request.host.work or options.out / "work",
        host_class=request.host.host_class,
        wait=request.host.wait,
    )
    written: list[tuple[Path, Session]] = []
    path = options.resume or options.out
    try:
        with Stop().listening() as stop, reserved_host(use, ui, stop) as host:
            runs = [replace(host.prepare(profile), alone=True) for profile in profiles]
            for run in runs * (options.repeat or 1):
                path = options.resume or fresh_path(options.out, run.profile.name)
                with open_run(run):
                    written.append((path, measure_session(run, side, path, resumed=resumed)))
    except RestartNeeded as need:
        words = going_on("run", ("--resume", str(path)))
        with restart_where_needed(words, allowed=request.host.restart):
            raise need from None
    except StopRequested as signal:
        raise _interrupted(signal, len(written), path) from None
    if resumed is not None:
        forget_restarts(going_on("run", ("--resume", str(path))))
    return written


def _interrupted(signal: StopRequested, finished: int, path: Path) -> Interrupted:
    again = shlex.join(["gate", "run", "--resume", str(path)])
    partial = path.is_file()
    return Interrupted(
        signal.number,
        f"interrupted; sessions finished: {finished}{f'; {path} is partial' if partial else ''}.",
        cure=f"Finish it with the same options and: {again}"
        if partial
        else "Run the same command again.",
    )


def _profiles(request: RunRequest, resumed: Session | None) -> Sequence[Profile]:
    selection = request.selection
    names = (resumed.profile,) if resumed else selection.names
    every = [
        with_sides(one, request.sides)
        for one in load_profiles(names, selection.profiles, selection.size)
    ]
    chosen = narrow_profiles(every, selection.benchmarks, named=bool(names))
    if resumed is not None and selection.benchmarks:
        refuse_others(resumed, chosen, request.sessions.resume)
    many = len(chosen) > 1 or request.sessions.repeat not in {None, 1}
    if many and any(one.subject.metal for one in chosen):
        raise InputError(
            "G200",
            "sessions of this machine's own kernels are measured one at a time: each trial is a "
            "restart.",
            cure="Name one profile, without --repeat, and start it again for the next session.",
        )
    return chosen


def _resumed_session(request: RunRequest, path: Path) -> Session:
    """The session to finish, which alone says of what it is."""
    options, session = request.sessions, read_session(path)
    if session.stage is Stage.CONFIRM:
        raise InputError(
            "G221",
            "this session holds confirming trials, which belong to a check.",
            cure="Continue the check: gate check --out DIR --resume.",
            place=str(path),
        )
    other = " ".join(name for name in request.selection.names if name != session.profile)
    planned = {plan.trials for plan in session.planned}
    for what, asked in (
        (f"profile {other[:80]}", bool(other)),
        (f"--side {options.side}", options.side not in {None, session.side.value}),
        (f"--repeat {options.repeat}", options.repeat not in {None, 1}),
        (f"--trials {options.trials}", options.trials is not None and planned != {options.trials}),
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


def _refuse_without_side(profiles: Sequence[Profile], side: Side) -> None:
    for one in profiles:
        if side is Side.BASE and "base" not in one.sides:
            raise InputError(
                "G234",
                f"profile {one.name} declares no base side.",
                cure="Declare [side.base], or pass --base DIR.",
                place=one.path,
            )
