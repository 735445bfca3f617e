"""`gate calibrate`: how often the gate is right, on this host or on recorded series."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from gate.cli import options
from gate.cli.calibrate.host import calibrate, refuse_without_baseline, show_plan
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.profile_file import load_profiles
from gate.host.identity.identity import read_host
from gate.judge.verdict.suite import Policy
from gate.pipeline.calibrate import Wish
from gate.pipeline.request import (
    OutputOptions,
    PolicyOptions,
    RecordedOptions,
    RoundOptions,
    SideOptions,
    with_sides,
)
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from gate.model import Profile
    from gate.pipeline.request import HostOptions, Selection

PLANTS = ("5%", "10%")
_LARGEST = 5.0
_RECORDED = {"recorded", "rule", "suite_size", "draws", "markdown"}
_BOTH = {"seed", "json"}

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


def _rounds(
    rounds: int | None,
    for_: str | None,
    plants: tuple[str, ...],
    wait: float | None,
    *,
    unchanged: bool,
    when_idle: bool,
    plan: bool,
) -> RoundOptions:
    return RoundOptions(
        rounds=rounds,
        seconds=_seconds(for_),
        plants=_plants(plants, unchanged=unchanged),
        when_idle=when_idle,
        wait=wait,
        plan=plan,
    )


_rounds_options = options.bundle(
    "rounds",
    _rounds,
    click.option("--rounds", type=click.IntRange(1, 10**6), help="Rounds of each profile."),
    click.option(
        "--for", "for_", metavar="TIME", help="Begin no round that would end later, e.g. 2h."
    ),
    click.option(
        "--plant",
        "plants",
        multiple=True,
        metavar="LOSS",
        show_default=", ".join(PLANTS),
        help="A loss to plant; may be repeated.",
    ),
    click.option("--unchanged", is_flag=True, help="Plant nothing."),
    click.option(
        "--when-idle", is_flag=True, help="Begin a round only below 10 % use of the CPUs."
    ),
    click.option(
        "--wait",
        metavar="TIME",
        show_default="as long as it takes",
        callback=options.waiting_time,
        help="Wait so long at most while another gate measures.",
    ),
    click.option(
        "--plan", is_flag=True, help="Say what would be measured and how long; measure nothing."
    ),
)
_sides = options.bundle(
    "sides",
    SideOptions,
    click.option(
        "--head", "head_dir", type=options.PathParam, help="What {side} is, on both sides."
    ),
    click.option("--head-env", multiple=True, metavar="NAME=VALUE", help="Variable of both sides."),
)
_policy = options.bundle("policy", PolicyOptions, options.baseline_dir, options.alpha, options.beta)
_output = options.bundle(
    "output",
    OutputOptions,
    click.option(
        "--out",
        type=options.PathParam,
        default=Path("reports/calibration"),
        show_default=True,
        help="Directory of the rounds; rounds that are in it already count.",
    ),
    options.quiet,
    click.option("--json", is_flag=True, help="Print JSON for machines."),
)
_recorded = options.bundle(
    "recorded",
    RecordedOptions,
    click.option(
        "--recorded", type=options.PathParam, metavar="FILE", help="Recorded series (.csv.gz)."
    ),
    click.option(
        "--rule", multiple=True, metavar="NAME", help="Recorded: a rule to try; repeatable."
    ),
    click.option("--suite-size", type=click.IntRange(1), help="Recorded: metrics of a suite [20]."),
    click.option("--draws", type=click.IntRange(1), help="Recorded: suites to draw [2000]."),
    click.option("--markdown", is_flag=True, help="Recorded: print a Markdown table."),
)


@click.command(epilog=EPILOG)
@options.selection
@_rounds_options
@_sides
@_policy
@options.calibrated_host
@_output
@_recorded
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of the draw, to repeat it.")
def command(
    selection: Selection,
    rounds: RoundOptions,
    sides: SideOptions,
    policy: PolicyOptions,
    host: HostOptions,
    output: OutputOptions,
    recorded: RecordedOptions,
    seed: int | None,
) -> int:
    """Find out how often the gate is right where the right answer is known.

    On this host: a round is a whole check of a PROFILE against itself. In most rounds nothing is
    changed; in the others the head side of one benchmark is slowed by a known loss. Results go to
    calibration.toml beside the baselines, and every report of this host class shows them.

    With --recorded: no measuring; suites are drawn from recorded series and judged by the rules.
    """
    _refuse_mixture(click.get_current_context(), recorded)
    if recorded.recorded is not None:
        # numpy, which must not be loaded while rounds are measured
        from gate.cli.calibrate.recorded import calibrate_recorded  # noqa: PLC0415 - see above

        return calibrate_recorded(recorded, seed, json_=output.json)
    wish = _wish(selection, rounds, sides, policy, host, output.out or Path(), seed)
    refuse_without_baseline(wish)
    if rounds.plan:
        return show_plan(wish, rounds, json_=output.json)
    return calibrate(wish, rounds, output)


def _refuse_mixture(ctx: click.Context, recorded: RecordedOptions) -> None:
    """The two uses have nothing in common but the seed and the JSON."""
    on_series = recorded.recorded is not None
    foreign = (set(ctx.params) - _RECORDED if on_series else _RECORDED) - _BOTH
    for param in sorted(ctx.command.params, key=lambda one: one.name or ""):
        given = ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if param.name in foreign and given:
            name = param.opts[0] if isinstance(param, click.Option) else "PROFILE"
            how = "cannot be used with" if on_series else "needs"
            cure = "Calibrate on this host (PROFILE --rounds N) or on recorded series, not both."
            raise InputError("G200", f"{name} {how} --recorded FILE.", cure=cure)


def _wish(
    selection: Selection,
    rounds: RoundOptions,
    sides: SideOptions,
    policy: PolicyOptions,
    host: HostOptions,
    out: Path,
    seed: int | None,
) -> Wish:
    if not selection.names:
        cure = "Write gate calibrate PROFILE --rounds N, or --recorded FILE."
        raise InputError("G200", "no profile is named.", cure=cure)
    if rounds.rounds is None and rounds.seconds is None:
        cure = "Say --rounds N, or --for TIME, or both."
        raise InputError("G200", "how many rounds, or for how long?", cure=cure)
    work = host.work or out / "work"
    profiles = load_profiles(selection.names, selection.profiles, selection.size)
    return Wish(
        profiles=tuple(_one_sided(profile, sides) for profile in profiles),
        baselines=read_baselines(policy.baseline),
        policy=Policy(alpha=policy.alpha, beta=policy.beta),
        store=policy.baseline,
        out=out,
        work=work,
        host_class=read_host(work.absolute(), host_class=host.host_class).host_class,
        rounds=rounds.rounds,
        plants=rounds.plants,
        seed=seed,
    )


def _one_sided(profile: Profile, options: SideOptions) -> Profile:
    """The profile with nothing but its head side, which is measured on both sides."""
    sides = {name: spec for name, spec in profile.sides.items() if name == "head"}
    return with_sides(replace(profile, sides=sides), options)


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
