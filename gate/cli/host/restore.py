"""`gate host restore`: put back what a killed gate left tuned."""

from __future__ import annotations

from dataclasses import asdict

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.host.journal import state_directory
from gate.host.lock import exclusive
from gate.host.tuning.restore import restore
from gate.pipeline.host_reservation import NOT_PUT_BACK

_LEFT = 5

EPILOG = """\b
Examples:
  gate host restore            what a killed gate left tuned is as before
  gate host restore --force    also what somebody else changed meanwhile
  gate host restore --keep     leave that as it is, and forget it

\b
Exit status: 0 everything is as before, 2 the journal cannot be read,
5 a setting was left as somebody else set it, or the host is busy.
"""


@click.command(epilog=EPILOG)
@options.flag("--force", "Overwrite what somebody else set meanwhile.")
@options.flag("--keep", "Leave what somebody else set, and forget it.")
@options.as_json
def command(*, force: bool, keep: bool, json_: bool) -> int:
    """Put every setting back that a killed gate left tuned.

    Every start of a measuring command does this by itself. A setting that somebody else changed
    meanwhile is left as it is, and named, until --force or --keep decides.
    """
    if force and keep:
        raise InputError("G200", "--force and --keep exclude each other.")
    with exclusive():
        restored = restore(state_directory(), force=force, keep=keep)
    status = _LEFT if restored.left and not keep else 0
    print_answer(
        restored.lines() or ("nothing to put back",),
        json_=json_,
        exit_status=status,
        restored=[asdict(one) for one in restored.back],
        left=[asdict(one.change) | {"now": one.now, "why": one.why} for one in restored.left],
        gone=[asdict(one) for one in restored.gone],
        forgotten=restored.forgotten,
    )
    if status:
        click.echo(
            f"error[{NOT_PUT_BACK}]: {len(restored.left)} settings were left as they are. "
            "Decide with gate host restore --force or --keep.",
            err=True,
        )
    return status
