"""`gate power`: the smallest loss that each metric can detect, and what more would buy."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 - click resolves it
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.policy import Chance
from gate.cli.wiring import SideOptions, load_profiles, with_sides
from gate.errors import NothingCompared
from gate.files.baseline_file import read_baselines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.power import Row
    from gate.model import Baseline, Profile

_NOT_HELD = 5
_NOTHING = 3

EPILOG = """\b
Examples:
  gate power                       every profile that has a baseline
  gate power build --base ../main  as if base were measured beside head
  gate power build --json          all figures, for machines
  gate power --warn                status 0 where a tolerance is not held

\b
Exit status: 0 every tolerance is held, 3 nothing to judge,
5 some tolerance lies below what can be detected.
"""


@click.command(epilog=EPILOG)
@click.argument("profile", nargs=-1)
@options.profiles_dir
@options.size
@options.baseline_dir
@options.sides
@click.option(
    "--host-class", default=None, help="Only this host class; by default every one with a baseline."
)
@click.option(
    "--alpha", type=Chance(1e-6, 0.5), default=0.01, show_default=True, help="As in check."
)
@click.option("--beta", type=Chance(1e-6, 0.5), default=0.025, show_default=True, help="Likewise.")
@click.option("--warn", is_flag=True, help="Status 0 also where a tolerance is not held.")
@options.as_json
def command(
    profile: tuple[str, ...],
    profiles: Path,
    size: str,
    baseline: Path,
    base_dir: Path | None,
    head_dir: Path | None,
    base_env: tuple[str, ...],
    head_env: tuple[str, ...],
    subject_file: Path | None,
    host_class: str | None,
    alpha: float,
    beta: float,
    *,
    warn: bool,
    json_: bool,
) -> int:
    """Tell from the baseline's own noise what PROFILEs (default: all) can detect.

    For each metric that may close the gate: the smallest tolerance that its noise can hold, the
    smallest loss that is found with probability 95 % as things are set, the chance that a loss of
    the tolerance is proven, and the trials that a check takes. Nothing is measured.
    """
    sides = SideOptions(
        base_dir=base_dir,
        head_dir=head_dir,
        base_env=base_env,
        head_env=head_env,
        subject=subject_file,
    )
    chosen = [with_sides(one, sides) for one in load_profiles(profile, profiles, size)]
    rows = _rows(chosen, read_baselines(baseline), host_class, alpha, beta, str(baseline))
    from gate.cli.power_table import as_data, as_text  # noqa: PLC0415 - scipy
    from gate.judge.power import Standing  # noqa: PLC0415

    if all(row.power is None for row in rows):
        status = _NOTHING
    else:
        held = all(row.standing is Standing.HELD for row in rows)
        status = 0 if held or warn else _NOT_HELD
    if json_:
        answer = {"schema": 1, "alpha": alpha, "beta": beta, "exit_status": status}
        click.echo(json.dumps({**answer, "rows": as_data(rows)}, indent=1, allow_nan=False))
    else:
        click.echo(as_text(rows))
    return status


def _rows(
    profiles: Sequence[Profile],
    baselines: Sequence[Baseline],
    host_class: str | None,
    alpha: float,
    beta: float,
    place: str,
) -> tuple[Row, ...]:
    """Rows of every host class asked for.

    Raises:
        NothingCompared: none of the profiles has a baseline there.
    """
    from gate.judge.power import asked_by, power_rows  # noqa: PLC0415 - scipy

    names = {one.name for one in profiles}
    known = [
        one for one in baselines if one.profile in names and host_class in {None, one.host_class}
    ]
    if not known:
        where = f" of host class {host_class[:80]}" if host_class else ""
        raise NothingCompared(
            "G280",
            f"there is no baseline{where} of these profiles, so their noise is not known.",
            cure="Take sessions with `gate run PROFILE --repeat 10`, then `gate baseline accept`.",
            place=place,
        )
    asked = [asked_by(one) for one in profiles]
    rows: list[Row] = []
    for name in sorted({one.host_class for one in known}):
        mine = {one.profile: one for one in known if one.host_class == name}
        rows += power_rows(asked, mine, host_class=name, alpha=alpha, beta=beta)
    return tuple(rows)
