"""Options that several commands share, so that one thing has one name, and their bundles.

A bundle hands the options of one kind to a command as one frozen value: `options.sides` gives it
`sides`, a `SideOptions`. Each option of a bundle is named as a field of it.
"""

from __future__ import annotations

import math
import re
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.errors import InputError
from gate.formats.profile.sizes import FULL
from gate.judge.sharding import Shard
from gate.model.session import MOST_SHARDS
from gate.pipeline.benchmark_filter import FEWEST_PAIRS, MOST_PAIRS
from gate.pipeline.request import HostOptions, OutputOptions, PolicyOptions, Selection, SideOptions
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_LONGEST_WAIT = 7 * 24 * 3600.0
_SHORTEST_BUDGET = 10.0
"""Seconds: a check that measures nothing takes some of them."""
_HOST_CLASS = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")

PathParam = click.Path(path_type=Path)


def option(*words: str, **more: Any) -> Decorator:
    """An option: its names and, last, its help, which shows a default unless told otherwise."""
    *names, text = words
    return click.option(*names, **{"help": text, "show_default": bool(more.get("default")), **more})


flag = partial(option, is_flag=True)
path = partial(option, type=PathParam)


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


def number_in(name: str, parse: Callable[..., float], *given: str) -> float:
    """What an option's text means as a number.

    Raises:
        InputError: what `parse` says is wrong, with the option's name.
    """
    try:
        return parse(*given)
    except ValueError as error:
        raise InputError("G200", f"{name}: {error}.") from error


def waiting_time(ctx: click.Context, param: click.Parameter, given: str | None) -> float | None:
    """A waiting time in seconds; None where none was given.

    Raises:
        InputError: no time, or longer than a week.
    """
    del ctx
    if given is None:
        return None
    name = param.opts[0]
    seconds = 0.0 if given.strip() == "0" else number_in(name, parse_quantity, given, "s")
    if seconds > _LONGEST_WAIT:
        raise InputError("G200", f"{name}: 168 h are the most.")
    return seconds


def time_budget(ctx: click.Context, param: click.Parameter, given: str | None) -> float | None:
    """What a check may take in seconds; None where nothing was asked for.

    Raises:
        InputError: no time, or less than ten seconds, or more than a week.
    """
    seconds = waiting_time(ctx, param, given)
    if seconds is not None and seconds < _SHORTEST_BUDGET:
        raise InputError("G200", f"{param.opts[0]}: {_SHORTEST_BUDGET:g} s are the least.")
    return seconds


def ratio_in(name: str, text: str) -> float:
    """A percentage, such as a tolerance, as a ratio.

    Raises:
        InputError: no percentage, or out of range.
    """
    parsed = number_in(name, parse_percent, text)
    if not 0.001 <= parsed <= 5:
        raise InputError("G200", f"{name} must lie between 0.1% and 500%.")
    return parsed


def _checked_class(ctx: click.Context, param: click.Parameter, given: str | None) -> str | None:
    del ctx, param
    if given is not None and not _HOST_CLASS.fullmatch(given):
        cure = "Use lower-case letters, digits, dots and dashes, as in bm-epyc-9454p."
        raise InputError("G200", f"host class {given[:80]!r} is no plain name.", cure=cure)
    return given


def _shard(ctx: click.Context, param: click.Parameter, given: str) -> Shard:
    del ctx, param
    number, slash, of = given.partition("/")
    digits = all(part.isascii() and part.isdigit() and len(part) <= 3 for part in (number, of))
    if not (slash and digits and 1 <= int(number) <= int(of) <= MOST_SHARDS):
        cure = f"Write K/N, as in 2/3, with at most {MOST_SHARDS} parts."
        raise InputError("G200", f"--shard {given[:80]!r} is no part of a whole.", cure=cure)
    return Shard(number=int(number), of=int(of))


as_json = flag("--json", "json_", "Print JSON for machines.")
quiet = flag("--quiet", "Print no progress.")
profiles_dir = path("--profiles", "Directory of the profiles.", default=Path("profiles"))
size = option(
    "--size",
    "Size of the profiles: full, or another that they declare, such as small.",
    default=FULL,
    metavar="NAME",
)
benchmark = option(
    "--benchmark",
    "benchmarks",
    "Only this benchmark, as reports print it; a group's name stands for its points too. "
    "May be repeated.",
    multiple=True,
    metavar="NAME",
)
pairs = option(
    "--pairs",
    "Largest number of pairs of base and head, instead of the profile's.",
    type=click.IntRange(FEWEST_PAIRS, MOST_PAIRS),
)
within = option(
    "--within",
    "How long all of it may take, e.g. 20min: what is not decided by then is left open, closed.",
    metavar="TIME",
    callback=time_budget,
)
baseline_dir = path("--baseline", "Directory of the baselines.", default=Path("baselines"))
host_class = option(
    "--host-class",
    "Class of this machine; by default made from its facts.",
    envvar="GATE_HOST_CLASS",
    show_envvar=True,
    callback=_checked_class,
)
merge_base = partial(option, "--merge-base", metavar="REV")
accepted = option(
    "--accepted",
    "With --merge-base: a file of baselines, by git's hash of its content, that was accepted for "
    "this change and is in force as the change has it; repeatable.",
    multiple=True,
    metavar="HASH",
)
work = path("--work", "Directory for data files of the benchmarks.")
disk_directory = path("--work", "Directory whose disk counts.", default=Path(), show_default=False)
wait = option(
    "--wait",
    "How long to wait while another gate measures on this host, e.g. 10min.",
    metavar="TIME",
    default="0",
    show_default="not at all",
    callback=waiting_time,
)
restart = flag(
    "--restart", "Allow restarts of this machine, for profiles whose sides are its kernels."
)
shard = option(
    "--shard",
    "Measure part K of N; if no profile is named, those that `gate plan` assigns to it.",
    default="1/1",
    show_default=False,
    metavar="K/N",
    callback=_shard,
)
alpha = option(
    "--alpha",
    "Bound on the chance that an unchanged suite is called regressed.",
    type=Chance(1e-6, 0.5),
    default=0.01,
)
beta = option(
    "--beta",
    "Bound on the chance that a loss as large as the tolerance goes unnoticed.",
    type=Chance(1e-6, 0.5),
    default=0.025,
)
allow = option(
    "--allow",
    "Let benchmarks without a baseline through.",
    type=click.Choice(["new"]),
    multiple=True,
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
        path(f"--{side}", f"{side}_dir", f"Directory of the {side} side: what {{side}} stands for.")
        for side in ("base", "head")
    ),
    *(
        option(
            f"--{side}-env",
            f"Environment variable of the {side} side; may be repeated.",
            multiple=True,
            metavar="NAME=VALUE",
        )
        for side in ("base", "head")
    ),
    path("--subject", "File with a [subject] table: how the sides are activated and proven."),
)
selection = bundle("selection", Selection, profile_names, profiles_dir, size)
"""Whole profiles."""
narrowed_selection = bundle("selection", Selection, profile_names, profiles_dir, size, benchmark)
check_selection = bundle(
    "selection", Selection, profile_names, profiles_dir, size, benchmark, pairs, within
)
check_policy = bundle(
    "policy",
    PolicyOptions,
    baseline_dir,
    merge_base(
        "Judge by the tolerances, baselines and waivers of this commit, and report changes."
    ),
    accepted,
    flag(
        "--unapproved",
        "With --merge-base: nobody has approved this commit, so that edits of workflows and of who "
        "reviews them close the gate.",
    ),
    alpha,
    beta,
    allow,
)
host = bundle("host", HostOptions, host_class, work, wait, restart)
tuned_host = bundle("host", HostOptions, host_class, wait)
calibrated_host = bundle("host", HostOptions, host_class, work)
"""Without a time to wait: a calibration has its own."""
json_output = flag("--json", "Print JSON for machines.")
"""As a field of `OutputOptions`."""
answer_output = bundle(
    "output",
    OutputOptions,
    path("--out", "Directory for the report; without it nothing is left behind."),
    json_output,
    quiet,
)
check_output = bundle(
    "output",
    OutputOptions,
    path("--out", "Directory for sessions and reports."),
    flag("--resume", "Go on with the check in --out."),
    option(
        "--why/--no-why",
        "Run what regressed a few more times, to see what else changed with it.",
        default=True,
        show_default=False,
    ),
    json_output,
    quiet,
)
