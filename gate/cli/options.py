"""Options that several commands share, so that one thing has one name.

Options that set the promise, and the policy they make.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.errors import InputError
from gate.formats.profile.sizes import FULL
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable


_LONGEST_WAIT = 7 * 24 * 3600.0
_HOST_CLASS = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")

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


def size(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--size`."""
    return click.option(
        "--size",
        default=FULL,
        show_default=True,
        metavar="NAME",
        help="Size of the profiles: another one that they declare, such as small.",
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
        callback=_plain_class,
        help="Name of this machine's kind; by default made from its facts.",
    )(function)


def _plain_class(ctx: click.Context, option: click.Parameter, given: str | None) -> str | None:
    del ctx, option
    if given is not None and not _HOST_CLASS.fullmatch(given):
        raise InputError(
            "G200",
            f"host class {given[:80]!r} is no plain name.",
            cure="Use lower-case letters, digits, dots and dashes, as in bm-epyc-9454p.",
        )
    return given


def wait(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--wait`, in seconds."""
    return click.option(
        "--wait",
        metavar="TIME",
        default="0",
        show_default="not at all",
        callback=waiting_time,
        help="Wait so long at most while another gate measures on this host, e.g. 10min.",
    )(function)


restart = click.option(
    "--restart",
    is_flag=True,
    help="Let it restart this machine, where a profile's sides are its kernels.",
)


def waiting_time(ctx: click.Context, option: click.Parameter, given: str | None) -> float | None:
    """A waiting time in seconds; None where none was given.

    Raises:
        InputError: no time, or longer than a week.
    """
    del ctx, option
    if given is None:
        return None
    try:
        seconds = 0.0 if given.strip() == "0" else parse_quantity(given, "s")
    except ValueError as error:
        raise InputError("G200", f"--wait: {error}.") from error
    if seconds > _LONGEST_WAIT:
        raise InputError("G200", "--wait: 168 h are the most.")
    return seconds


def tolerance_of(text: str) -> float:
    """`--tolerance` as a ratio.

    Raises:
        InputError: no percentage, or out of range.
    """
    try:
        parsed = parse_percent(text)
    except ValueError as error:
        raise InputError("G200", f"--tolerance: {error}.") from error
    if not 0.001 <= parsed <= 5:
        raise InputError("G200", "--tolerance must lie between 0.1% and 500%.")
    return parsed


def sides(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--base`, `--head`, their environments, and `--subject`."""
    function = click.option(
        "--subject",
        "subject_file",
        type=PathParam,
        default=None,
        help="File with a [subject] table: how the sides are activated and proven.",
    )(function)
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


class Chance(click.FloatRange):
    """A probability; `nan`, which no range excludes, is none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, within the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{number} is no number.", param, ctx)
        return number


def policy_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--alpha`, `--beta`, `--allow`."""
    function = click.option(
        "--allow",
        type=click.Choice(["new"]),
        multiple=True,
        help="Let benchmarks without a baseline through.",
    )(function)
    function = click.option(
        "--beta",
        type=Chance(1e-6, 0.5),
        default=0.025,
        show_default=True,
        help="Bound on the chance that a loss of the tolerance passes.",
    )(function)
    return click.option(
        "--alpha",
        type=Chance(1e-6, 0.5),
        default=0.01,
        show_default=True,
        help="Bound on the chance that an unchanged suite is called regressed.",
    )(function)
