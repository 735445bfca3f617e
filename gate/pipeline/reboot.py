"""Restarts of this machine on behalf of a measurement: asked for, armed, and gone on with.

When a trial needs another kernel the command ends first, so that every setting is back, the lock is
free and a closed report says why. Only then the machine is restarted; `gate host resume` starts the
same command again.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.errors import InputError, MeasureError
from gate.host.journal import state_directory
from gate.subject.boots import (
    Boots,
    BootStage,
    Restart,
    forget_boots,
    read_boots,
    running_kernel,
    write_boots,
)
from gate.subject.metal import RestartNeeded
from gate.subject.one_shot import arm, restart
from gate.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.subject.boots import RunningKernel

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL")
"""Variables that the command finds again after a restart."""
_PATIENCE = 600.0
"""Seconds until a machine that was told to restart should be down."""


def going_on(command: str, place: tuple[str, str], *, flag: str = "") -> tuple[str, ...]:
    """The words that go on with this very call; `place` is the option that says where it writes."""
    given = click.get_current_context().find_root().obj or (command,)
    words = [word for word in given if word != flag]
    if not any(word == place[0] or word.startswith(f"{place[0]}=") for word in words):
        words += place
    return (*words, flag) if flag else tuple(words)


@contextmanager
def restart_where_needed(words: Sequence[str], *, allowed: bool) -> Iterator[None]:
    """Inside, a trial may need another kernel; then this does not return, or raises.

    Raises:
        RestartNeeded: nobody allowed a restart.
        MeasureError: G269, the machine cannot be restarted so, or did not restart.
    """
    try:
        yield
    except RestartNeeded as need:
        if allowed:
            _restart(need, tuple(words))
        raise
    forget_restarts(tuple(words))


def forget_restarts(words: tuple[str, ...]) -> None:
    """Whatever a measurement asked for, it came to its end: nothing goes on any more."""
    state, journal = state_directory(), None
    with suppress(InputError):  # one that is damaged was none of a measurement that came so far
        journal = read_boots(state)
    if journal is None or journal.words != words:
        return
    forget_boots(state)
    now = running_kernel()
    if now.build_id != journal.first.build_id:
        left = f"this machine still runs {now.label}; it was found with {journal.first.label}"
        click.echo(one_line(f"note: {left}, and comes back with that at its next start"), err=True)


def _restart(need: RestartNeeded, words: tuple[str, ...]) -> None:
    if os.geteuid() != 0:
        raise MeasureError(
            "G269", "only root may restart this machine.", cure="Measure as root, with --restart."
        )
    state, now = state_directory(), running_kernel()
    before = read_boots(state)
    journal = _journal(before, need, words, now)
    write_boots(state, journal)  # first: a start that was armed is always in the journal
    side = need.target.side.value
    told = f"restart {len(journal.boots)}: into the {side} side's kernel {need.image.release}"
    try:
        arm(need.metal, need.target, journal.first)
        click.echo(one_line(told), err=True)
        sys.stderr.flush()
        os.sync()
        restart(need.metal)
    except MeasureError:
        forget_boots(state)
        raise
    time.sleep(_PATIENCE)
    raise MeasureError(
        "G269",
        f"the machine was told to restart, and runs on after {_PATIENCE:g} s.",
        cure="Restart it by hand: the next start is armed, and the measurement goes on with it.",
    )


def _journal(
    before: Boots | None, need: RestartNeeded, words: tuple[str, ...], now: RunningKernel
) -> Boots:
    boot = Restart(
        side=need.target.side.value,
        build_id=need.image.build_id,
        release=need.image.release,
        asked_in=now.boot,
        asked_at=time.time(),
    )
    if before is not None and before.key == need.key:
        return replace(before, words=words, boots=(*before.boots, boot), doing=BootStage.ASKED)
    return Boots(
        key=need.key,
        first=now,
        directory=str(Path.cwd()),
        words=words,
        environment={name: os.environ[name] for name in _KEPT if name in os.environ},
        restart=need.metal.restart,
        boots=(boot,),
        doing=BootStage.ASKED,
    )
