"""Groups of commands that import a command's module only when it runs, so that --help is quick."""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING, Any, cast

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """Commands by name, in the order of the work, each in a module with a `command`."""

    def __init__(self, *args: Any, about: Mapping[str, str], module: str, **kwargs: Any) -> None:
        """`about` says a line of each command; `module` names its module, `{}` standing for it."""
        super().__init__(*args, **kwargs)
        self._about, self._module = about, module

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the work."""
        del ctx
        return list(self._about)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported."""
        del ctx
        if cmd_name not in self._about:
            return None
        module = importlib.import_module(self._module.format(cmd_name.replace("-", "_")))
        return cast("click.Command", module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command meant, or an error with the name that was probably meant."""
        name = args[0]
        if name in self._about or name.startswith("-"):
            return super().resolve_command(ctx, args)
        close = difflib.get_close_matches(name, self._about, n=1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        message = f"No such command {name[:80]!r}.{hint}"
        raise click.UsageError(message, ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._about.items()))
