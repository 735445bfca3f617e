"""`gate calibrate`: how often the gate is right, on this host or on recorded series."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gate.cli import options
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.profile_file import load_profiles
from gate.host.identity.identity import read_host
from gate.judge.verdict.suite import Policy
from gate.pipeline.request import SideOptions, with_sides
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from gate.model import Profile

PLANTS = ("5%", "10%")
_LARGEST = 5.0
_RECORDED = {"recorded", "rule", "suite_size", "draws", "markdown"}
_BOTH = {"seed", "json_"}

EPILOG = """\b
Examples:
  gate calibrate db --rounds 40                forty rounds, resumable
  gate calibrate db --for 2h --when-idle       in spare time
  gate calibrate db --rounds 40 --plan         how long it would take
  gate calibrate db --rounds 20 --plant 8%     another loss
  gate calibrate --recorded series.csv.gz --suite-size 20 --markdown

\b
Exit status: 0 nothing contradicts the promise, 2 usage, 4 a harness is
missing, 5 this host class is unfit, or has no baseline, 130 and 143
interrupted (the same command goes on).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOptions:
    """The options of a calibration on recorded series; None where the option was not given."""

    recorded: Path
    rule: tuple[str, ...]
    suite_size: int | None
    draws: int | None
    seed: int | None
    json: bool
    markdown: bool


@click.command(epilog=EPILOG)
@click.argument("profile", nargs=-1)
@click.option("--rounds", type=click.IntRange(1, 10**6), help="Rounds of each profile.")
@click.option("--for", "for_", metavar="TIME", help="Begin no round that ends later, e.g. 2h.")
@click.option(
    "--plant",
    "plants",
    multiple=True,
    metavar="LOSS",
    show_default=", ".join(PLANTS),
    help="A loss to plant; may be repeated.",
)
@click.option("--unchanged", is_flag=True, help="Plant nothing.")
@click.option("--when-idle", is_flag=True, help="Begin a round only below 10 % use of the CPUs.")
@click.option(
    "--wait",
    metavar="TIME",
    default=None,
    show_default="as long as it takes",
    callback=options.waiting_time,
    help="Wait so long at most while another gate measures.",
)
@click.option("--plan", is_flag=True, help="Say what would be measured and how long; no more.")
@options.profiles_dir
@options.size
@options.baseline_dir
@click.option("--head", "head_dir", type=options.PathParam, help="What {side} is, on both sides.")
@click.option("--head-env", multiple=True, metavar="NAME=VALUE", help="Variable of both sides.")
@options.host_class
@options.alpha
@options.beta
@click.option(
    "--out",
    type=options.PathParam,
    default=Path("reports/calibration"),
    show_default=True,
    help="Directory of the rounds; what is in it goes on.",
)
@click.option("--work", type=options.PathParam, default=None, help="Directory for data files.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option(
    "--recorded", type=options.PathParam, metavar="FILE", help="Recorded series (.csv.gz)."
)
@click.option("--rule", multiple=True, metavar="NAME", help="Recorded: a rule to try; repeatable.")
@click.option("--suite-size", type=click.IntRange(1), help="Recorded: metrics of a suite [20].")
@click.option("--draws", type=click.IntRange(1), help="Recorded: suites to draw [2000].")
@click.option("--markdown", is_flag=True, help="Recorded: print a Markdown table.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of the draw, to repeat it.")
@options.as_json
def command(**given: Any) -> int:
    """Find out how often the gate is right where the right answer is known.

    On this host: a round is a whole check of a PROFILE against itself. In most rounds nothing is
    changed; in the others the head side of one benchmark is slowed by a known loss. Results go to
    calibration.toml beside the baselines, and every report of this host class tells them.

    With --recorded: no measuring; suites are drawn from recorded series and judged by the rules.
    """
    _refuse_mixture(click.get_current_context(), given)
    if given["recorded"] is not None:
        return _on_recorded_series(given)
    return _on_this_host(given)


def _refuse_mixture(ctx: click.Context, given: dict[str, Any]) -> None:
    """The two uses have nothing in common but the seed and the JSON."""
    recorded = given["recorded"] is not None
    foreign = (set(given) - _RECORDED if recorded else _RECORDED) - _BOTH
    for name in sorted(foreign):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = {"profile": "PROFILE", "for_": "--for", "plants": "--plant"}.get(
                name, "--" + name.removesuffix("_dir").replace("_", "-")
            )
            how = "cannot be used with" if recorded else "needs"
            cure = "Calibrate on this host (PROFILE --rounds N) or on recorded series, not both."
            raise InputError("G200", f"{option} {how} --recorded FILE.", cure=cure)


def _on_recorded_series(given: dict[str, Any]) -> int:
    from gate.cli.calibrate.recorded import calibrate_recorded  # noqa: PLC0415 - numpy

    names = ("recorded", "rule", "suite_size", "draws", "seed", "markdown")
    chosen = RecordedOptions(json=given["json_"], **{name: given[name] for name in names})
    return calibrate_recorded(chosen)


def _on_this_host(given: dict[str, Any]) -> int:
    from gate.cli.calibrate.host import (  # noqa: PLC0415 - not needed for recorded series
        Manner,
        calibrate,
        refuse_without_baseline,
        show_plan,
    )
    from gate.pipeline.calibrate import Wish  # noqa: PLC0415

    if not given["profile"]:
        cure = "Write gate calibrate PROFILE --rounds N, or --recorded FILE."
        raise InputError("G200", "no profile is named.", cure=cure)
    if given["rounds"] is None and given["for_"] is None:
        cure = "Say --rounds N, or --for TIME, or both."
        raise InputError("G200", "how many rounds, or for how long?", cure=cure)
    out, store = given["out"], given["baseline"]
    work = given["work"] or out / "work"
    wish = Wish(
        profiles=tuple(
            _profile(one, given)
            for one in load_profiles(given["profile"], given["profiles"], given["size"])
        ),
        baselines=read_baselines(store),
        policy=Policy(alpha=given["alpha"], beta=given["beta"]),
        store=store,
        out=out,
        work=work,
        host_class=read_host(work.absolute(), host_class=given["host_class"]).host_class,
        rounds=given["rounds"],
        plants=_plants(given["plants"], unchanged=given["unchanged"]),
        seed=given["seed"],
    )
    refuse_without_baseline(wish)
    manner = Manner(
        seconds=_seconds(given["for_"]),
        when_idle=given["when_idle"],
        wait=given["wait"],
        json_=given["json_"],
        quiet=given["quiet"],
    )
    return show_plan(wish, manner) if given["plan"] else calibrate(wish, manner)


def _profile(profile: Profile, given: dict[str, Any]) -> Profile:
    """The profile with nothing but its head side, which is measured on both sides."""
    sides = {name: spec for name, spec in profile.sides.items() if name == "head"}
    head = SideOptions(head_dir=given["head_dir"], head_env=given["head_env"])
    return with_sides(replace(profile, sides=sides), head)


def _plants(texts: tuple[str, ...], *, unchanged: bool) -> tuple[float, ...]:
    if unchanged:
        if texts:
            raise InputError("G200", "--plant and --unchanged exclude each other.")
        return ()
    losses = []
    for text in texts or PLANTS:
        try:
            losses.append(parse_percent(text))
        except ValueError as error:
            raise InputError("G200", f"--plant: {error}.") from error
        if not 0.001 <= losses[-1] <= _LARGEST:
            raise InputError("G200", "--plant must lie between 0.1% and 500%.")
    return tuple(sorted(set(losses)))


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = parse_quantity(text, "s")
    except ValueError as error:
        raise InputError("G200", f"--for: {error}.") from error
    if seconds <= 0:
        raise InputError("G200", "--for must be above zero.")
    return seconds
