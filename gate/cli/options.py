"""Options that several commands share, so that one thing has one name, and their bundles.

A bundle hands the options of one kind to a command as one frozen value: `options.sides` gives it
`sides`, a `SideOptions`. Each option of a bundle is named as a field of it.
"""

from __future__ import annotations

import math
import re
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.errors import InputError
from gate.formats.profile.sizes import FULL
from gate.model.session import MOST_SHARDS
from gate.pipeline.benchmark_filter import FEWEST_PAIRS, MOST_PAIRS
from gate.pipeline.request import HostOptions, OutputOptions, PolicyOptions, Selection, SideOptions
from gate.pipeline.shards import Shard
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_LONGEST_WAIT = 7 * 24 * 3600.0
_HOST_CLASS = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")

PathParam = click.Path(path_type=Path)


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


def waiting_time(ctx: click.Context, option: click.Parameter, given: str | None) -> float | None:
    """A waiting time in seconds; None where none was given.

    Raises:
        InputError: no time, or longer than a week.
    """
    del ctx
    if given is None:
        return None
    try:
        seconds = 0.0 if given.strip() == "0" else parse_quantity(given, "s")
    except ValueError as error:
        raise InputError("G200", f"{option.opts[0]}: {error}.") from error
    if seconds > _LONGEST_WAIT:
        raise InputError("G200", f"{option.opts[0]}: 168 h are the most.")
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


def _checked_class(ctx: click.Context, option: click.Parameter, given: str | None) -> str | None:
    del ctx, option
    if given is not None and not _HOST_CLASS.fullmatch(given):
        raise InputError(
            "G200",
            f"host class {given[:80]!r} is no plain name.",
            cure="Use lower-case letters, digits, dots and dashes, as in bm-epyc-9454p.",
        )
    return given


def _shard(ctx: click.Context, option: click.Parameter, given: str) -> Shard:
    del ctx, option
    number, slash, of = given.partition("/")
    digits = all(part.isascii() and part.isdigit() and len(part) <= 3 for part in (number, of))
    if not (slash and digits and 1 <= int(number) <= int(of) <= MOST_SHARDS):
        raise InputError(
            "G200",
            f"--shard {given[:80]!r} is no part of a whole.",
            cure=f"Write K/N, as in 2/3, with at most {MOST_SHARDS} parts.",
        )
    return Shard(number=int(number), of=int(of))


as_json = click.option("--json", "json_", is_flag=True, help="Print JSON for machines.")
quiet = click.option("--quiet", is_flag=True, help="Print no progress.")
profiles_dir = click.option(
    "--profiles",
    type=PathParam,
    default=Path("profiles"),
    show_default=True,
    help="Directory of the profiles.",
)
size = click.option(
    "--size",
    default=FULL,
    show_default=True,
    metavar="NAME",
    help="Size of the profiles: full, or another that they declare, such as small.",
)
benchmark = click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="NAME",
    help="Only this benchmark, as reports print it; a group's name stands for its points too. "
    "May be repeated.",
)
pairs = click.option(
    "--pairs",
    type=click.IntRange(FEWEST_PAIRS, MOST_PAIRS),
    help="Largest number of pairs of base and head, instead of the profile's.",
)
baseline_dir = click.option(
    "--baseline",
    type=PathParam,
    default=Path("baselines"),
    show_default=True,
    help="Directory of the baselines.",
)
host_class = click.option(
    "--host-class",
    envvar="GATE_HOST_CLASS",
    show_envvar=True,
    callback=_checked_class,
    help="Class of this machine; by default made from its facts.",
)
work = click.option("--work", type=PathParam, help="Directory for data files of the benchmarks.")
disk_directory = click.option(
    "--work", type=PathParam, default=Path(), help="Directory whose disk counts."
)
wait = click.option(
    "--wait",
    metavar="TIME",
    default="0",
    show_default="not at all",
    callback=waiting_time,
    help="How long to wait while another gate measures on this host, e.g. 10min.",
)
restart = click.option(
    "--restart",
    is_flag=True,
    help="Allow restarts of this machine, for profiles whose sides are its kernels.",
)
shard = click.option(
    "--shard",
    default="1/1",
    metavar="K/N",
    callback=_shard,
    help="Measure part K of N; if no profile is named, those that `gate plan` assigns to it.",
)
alpha = click.option(
    "--alpha",
    type=Chance(1e-6, 0.5),
    default=0.01,
    show_default=True,
    help="Bound on the chance that an unchanged suite is called regressed.",
)
beta = click.option(
    "--beta",
    type=Chance(1e-6, 0.5),
    default=0.025,
    show_default=True,
    help="Bound on the chance that a loss as large as the tolerance goes unnoticed.",
)
allow = click.option(
    "--allow",
    type=click.Choice(["new"]),
    multiple=True,
    help="Let benchmarks without a baseline through.",
)


def bundle(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Options handed to a command as one value; what has no option keeps its default.

    `make` is a dataclass or a function: each option is named as a parameter of it.
    """
    names = tuple(signature(make).parameters)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(*args: Any, **given: Any) -> Any:
            values = {field: given.pop(field) for field in names if field in given}
            return function(*args, **{name: make(**values)}, **given)

        for option in reversed(options):
            command = option(command)  # type: ignore[assignment] # click keeps what it decorates
        return command

    return decorate


profile_names = click.argument("names", metavar="[PROFILE]...", nargs=-1)
sides = bundle(
    "sides",
    SideOptions,
    *(
        click.option(
            f"--{side}",
            f"{side}_dir",
            type=PathParam,
            help=f"Directory of the {side} side: what {{side}} stands for.",
        )
        for side in ("base", "head")
    ),
    *(
        click.option(
            f"--{side}-env",
            multiple=True,
            metavar="NAME=VALUE",
            help=f"Environment variable of the {side} side; may be repeated.",
        )
        for side in ("base", "head")
    ),
    click.option(
        "--subject",
        type=PathParam,
        help="File with a [subject] table: how the sides are activated and proven.",
    ),
)
selection = bundle("selection", Selection, profile_names, profiles_dir, size)
"""Whole profiles."""
narrowed_selection = bundle("selection", Selection, profile_names, profiles_dir, size, benchmark)
check_selection = bundle(
    "selection", Selection, profile_names, profiles_dir, size, benchmark, pairs
)
check_policy = bundle(
    "policy",
    PolicyOptions,
    baseline_dir,
    click.option(
        "--merge-base",
        metavar="REV",
        help="Judge by the tolerances, baselines and waivers of this commit, and report changes.",
    ),
    alpha,
    beta,
    allow,
)
host = bundle("host", HostOptions, host_class, work, wait, restart)
tuned_host = bundle("host", HostOptions, host_class, wait)
calibrated_host = bundle("host", HostOptions, host_class, work)
"""Without a time to wait: a calibration has its own."""
check_output = bundle(
    "output",
    OutputOptions,
    click.option("--out", type=PathParam, help="Directory for sessions and reports."),
    click.option("--resume", is_flag=True, help="Go on with the check in --out."),
    click.option(
        "--why/--no-why",
        default=True,
        help="Run what regressed a few more times, to see what else changed with it.",
    ),
    click.option("--json", is_flag=True, help="Print JSON for machines."),
    quiet,
)
