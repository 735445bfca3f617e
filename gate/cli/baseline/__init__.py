"""`gate baseline`: accept, show, compare; one module per subcommand, imported when it runs."""

from __future__ import annotations

import click

from gate.cli.main import LazyGroup

_COMMANDS = {
    "accept": "Accept sessions into the baseline.",
    "show": "Show the accepted level of every series.",
    "diff": "Compare the baselines here with those of a git revision.",
}


@click.group(cls=LazyGroup, about=_COMMANDS, module="gate.cli.baseline.{}")
def command() -> None:
    """What was accepted: the sessions that changes are compared with."""
