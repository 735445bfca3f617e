"""`gate calibrate`: how often the gate is right, on this host or on recorded series."""

from __future__ import annotations

from dataclasses import fields, replace
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
from gate.units import parse_quantity

if TYPE_CHECKING:
    from gate.pipeline.request import HostOptions, Selection

PLANTS = ("5%", "10%")
_RECORDED = {field.name for field in fields(RecordedOptions)}

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


def _seconds(ctx: click.Context, param: click.Parameter, given: str | None) -> float | None:
    del ctx
    if given is None:
        return None
    seconds = options.number_in(param.opts[0], parse_quantity, given, "s")
    if seconds <= 0:
        raise InputError("G200", f"{param.opts[0]} must be above zero.")
    return seconds


def _rounds(
    rounds: int | None,
    seconds: float | None,
    plants: tuple[str, ...],
    wait: float | None,
    *,
    unchanged: bool,
    when_idle: bool,
    plan: bool,
) -> RoundOptions:
    if unchanged and plants:
        raise InputError("G200", "--plant and --unchanged exclude each other.")
    losses = () if unchanged else {options.ratio_in("--plant", text) for text in plants or PLANTS}
    return RoundOptions(
        rounds=rounds,
        seconds=seconds,
        plants=tuple(sorted(losses)),
        when_idle=when_idle,
        wait=wait,
        plan=plan,
    )


_rounds_options = options.bundle(
    "rounds",
    _rounds,
    options.option("--rounds", "Rounds of each profile.", type=click.IntRange(1, 10**6)),
    options.option(
        "--for",
        "seconds",
        "Begin no round that would end later, e.g. 2h.",
        metavar="TIME",
        callback=_seconds,
    ),
    options.option(
        "--plant",
        "plants",
        "A loss to plant; may be repeated.",
        multiple=True,
        metavar="LOSS",
        show_default=", ".join(PLANTS),
    ),
    options.flag("--unchanged", "Plant nothing."),
    options.flag("--when-idle", "Begin a round only below 10 % use of the CPUs."),
    options.option(
        "--wait",
        "Wait so long at most while another gate measures.",
        metavar="TIME",
        show_default="as long as it takes",
        callback=options.waiting_time,
    ),
    options.flag("--plan", "Say what would be measured and how long; measure nothing."),
)
_sides = options.bundle(
    "sides",
    SideOptions,
    options.path("--head", "head_dir", "What {side} is, on both sides."),
    options.option("--head-env", "Variable of both sides.", multiple=True, metavar="NAME=VALUE"),
)
_policy = options.bundle("policy", PolicyOptions, options.baseline_dir, options.alpha, options.beta)
_output = options.bundle(
    "output",
    OutputOptions,
    options.path(
        "--out",
        "Directory of the rounds; rounds that are in it already count.",
        default=Path("reports/calibration"),
    ),
    options.quiet,
    options.json_output,
)
_recorded = options.bundle(
    "recorded",
    RecordedOptions,
    options.path("--recorded", "Recorded series (.csv.gz).", metavar="FILE"),
    options.option("--rule", "Recorded: a rule to try; repeatable.", multiple=True, metavar="NAME"),
    options.option("--suite-size", "Recorded: metrics of a suite [20].", type=click.IntRange(1)),
    options.option("--draws", "Recorded: suites to draw [2000].", type=click.IntRange(1)),
    options.flag("--markdown", "Recorded: print a Markdown table."),
)


@click.command(epilog=EPILOG)
@options.selection
@_rounds_options
@_sides
@_policy
@options.calibrated_host
@_output
@_recorded
@options.option("--seed", "Seed of the draw, to repeat it.", type=click.IntRange(0, 2**63 - 1))
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
    foreign = set(ctx.params) - _RECORDED - {"seed", "json"} if on_series else _RECORDED
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
    # The head side alone, which is measured on both sides.
    one_sided = (
        replace(one, sides={name: spec for name, spec in one.sides.items() if name == "head"})
        for one in load_profiles(selection.names, selection.profiles, selection.size)
    )
    return Wish(
        profiles=tuple(with_sides(profile, sides) for profile in one_sided),
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
