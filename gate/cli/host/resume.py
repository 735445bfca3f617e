"""`gate host resume`: go on with the measurement that asked for the last restart."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib.resources import files

import click

from gate.errors import MeasureError
from gate.host.journal import state_directory
from gate.subject.boots import Boots, BootStage, forget_boots, read_boots, running_kernel
from gate.subject.one_shot import restart_plainly
from gate.text import one_line

EPILOG = """\b
Examples:
  gate host resume --unit > /etc/systemd/system/driftgate-resume.service
  systemctl enable driftgate-resume     once: from now on every start goes on
  gate host resume                      go on by hand
  gate host resume --forget             give the measurement up

\b
Exit status: that of the command that went on; 0 where there is none.
"""


@click.command(epilog=EPILOG)
@click.option("--unit", is_flag=True, help="Print a systemd unit that does it at every start.")
@click.option("--forget", is_flag=True, help="Give up what is under way; sessions are kept.")
def command(*, unit: bool, forget: bool) -> int:
    """Start the command again that asked for the last restart of this machine.

    When it has come to its end the machine is restarted once more, into the kernel that it was
    found with, unless that runs already.
    """
    if unit:
        click.echo(unit_text(), nl=False)
        return 0
    state = state_directory()
    if forget:
        forget_boots(state)
        click.echo("nothing is to go on any more")
        return 0
    journal = read_boots(state)
    if journal is None:
        click.echo("nothing to go on with")
        return 0
    status = _go_on(journal)
    after = read_boots(state)
    restarts = after is not None and after.doing is BootStage.ASKED
    if after and restarts and running_kernel().boot in {after.last.asked_in, ""}:
        return status  # the next restart is under way
    forget_boots(state)
    _back(journal)
    return status


def unit_text() -> str:
    """The unit, for the gate that prints it."""
    text = files("gate.cli").joinpath("systemd/driftgate-resume.service").read_text("utf-8")
    words = (sys.executable, "-P", "-m", "gate", "host", "resume")
    return text.replace("GATE-HOST-RESUME", shlex.join(words))


def _go_on(journal: Boots) -> int:
    words = (sys.executable, "-P", "-m", "gate", *journal.words)
    click.echo(one_line(f"going on: gate {shlex.join(journal.words)}"))
    sys.stdout.flush()
    try:
        return subprocess.run(
            words, cwd=journal.directory, env={**os.environ, **journal.environment}, check=False
        ).returncode
    except OSError as error:
        click.echo(one_line(f"error[G269]: {journal.directory}: {error.strerror}"), err=True)
        return 2


def _back(journal: Boots) -> None:
    """Restart into the kernel that the machine was found with, where another one runs."""
    now = running_kernel()
    if now.build_id == journal.first.build_id:
        return
    click.echo(one_line(f"done; restarting from {now.label} into {journal.first.label}"))
    sys.stdout.flush()
    try:
        restart_plainly(journal.restart)
    except MeasureError as error:
        click.echo(one_line(f"warning[{error.code}]: {error}"), err=True)
