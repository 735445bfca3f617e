"""What a `gate run` that goes on may be asked for: the session to finish says what it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.files.session_file import read_session
from gate.model import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
