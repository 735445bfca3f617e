"""Options that several commands share, so that one thing has one name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PathParam = click.Path(path_type=Path)


def as_json(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--json`."""
    return click.option("--json", "json_", is_flag=True, help="Print JSON for machines.")(function)


def profiles_dir(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--profiles`."""
    return click.option(
        "--profiles",
        type=PathParam,
        default=Path("profiles"),
        show_default=True,
        help="Directory of the profiles.",
    )(function)


def baseline_dir(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--baseline`."""
    return click.option(
        "--baseline",
        type=PathParam,
        default=Path("baselines"),
        show_default=True,
        help="Directory of the baselines.",
    )(function)


def host_class(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--host-class`."""
    return click.option(
        "--host-class",
        default=None,
        envvar="GATE_HOST_CLASS",
        show_envvar=True,
        help="Name of this machine's kind; by default made from its facts.",
    )(function)


def sides(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--base`, `--head` and their environments."""
    for name in ("head", "base"):
        function = click.option(
            f"--{name}-env",
            multiple=True,
            metavar="NAME=VALUE",
            help=f"Environment variable of the {name} side; may be repeated.",
        )(function)
        function = click.option(
            f"--{name}",
            f"{name}_dir",
            type=PathParam,
            default=None,
            help=f"Directory of the {name} side: what {{side}} stands for.",
        )(function)
    return function
