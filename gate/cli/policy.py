"""Options that set the promise, and the policy they make."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from gate.errors import InputError
from gate.files.waiver_file import read_waivers
from gate.judge.suite import Policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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


def make_policy(alpha: float, beta: float, allow: tuple[str, ...], baseline: Path) -> Policy:
    """The policy, with the waivers that stand beside the baselines.

    Raises:
        InputError: the waivers are malformed, or new benchmarks shall pass and there is no
            baseline directory at all, which is rather a wrong path.
    """
    if "new" in allow and not baseline.is_dir():
        raise InputError(
            "G201",
            "there is no such directory, so --allow new would let everything through.",
            cure="Name the baselines with --baseline, or make the directory.",
            place=str(baseline),
        )
    return Policy(
        alpha=alpha,
        beta=beta,
        allow_new="new" in allow,
        waivers=read_waivers(baseline),
        accepted=frozenset(path.stem for path in baseline.glob("*/*.toml")),
        today=datetime.now(UTC).date().isoformat(),
    )
