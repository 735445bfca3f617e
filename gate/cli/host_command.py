"""`gate host`: know the machine that measures; one module per subcommand, imported when it runs."""

from __future__ import annotations

import importlib
from typing import cast

import click

_COMMANDS = {
    "show": "Show this machine's class and facts, and how well the gate does on it.",
    "enroll": "Write down what a machine of this class must be: host.toml.",
    "diff": "Compare this machine with its host.toml and with what was accepted.",
    "tune": "Tune settings of this machine for a while, and put them back.",
    "restore": "Put back what a killed gate left tuned.",
    "check": "Tell whether this machine is fit to measure on, and how small a loss it can tell.",
}


class _Lazy(click.Group):
    """Imports a subcommand's module only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the work."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of that name, imported."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        return cast("click.Command", importlib.import_module(f"gate.cli.host_{cmd_name}").command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Lazy)
def command() -> None:
    """Know the machine that measures."""
