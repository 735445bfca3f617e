"""`gate power`: the smallest loss that each metric can detect, and what more would buy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import NothingCompared
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.profile_file import load_profiles
from gate.judge.power.power import ToleranceStanding, asked_by, power_rows
from gate.pipeline.request import with_sides
from gate.report.text.power_table import power_data, power_text
from gate.review.lineage import earned_at_desk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gate.judge.power.power import PowerRow
    from gate.model import Baseline, Profile
    from gate.pipeline.request import Selection, SideOptions


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
@options.selection
@options.baseline_dir
@options.sides
@options.option("--host-class", "Only this host class; by default every one with a baseline.")
@options.alpha
@options.beta
@options.flag("--warn", "Status 0 also where a tolerance is not held.")
@options.as_json
def command(
    selection: Selection,
    baseline: Path,
    sides: SideOptions,
    host_class: str | None,
    alpha: float,
    beta: float,
    *,
    warn: bool,
    json_: bool,
) -> int:
    """Show from the baseline's own noise what PROFILEs (default: all) can detect.

    For each metric that may close the gate: the smallest tolerance that its noise can hold, the
    smallest loss that is found with probability 95 % as things are set, the chance that a loss of
    the tolerance is proven, and the trials that a check takes. Nothing is measured.
    """
    profiles = load_profiles(selection.names, selection.profiles, selection.size)
    chosen = [with_sides(one, sides) for one in profiles]
    levels = earned_at_desk(read_baselines(baseline), baseline, sides.base_dir, sides.head_dir)
    rows = _rows(chosen, levels, host_class, alpha, beta, str(baseline))
    if all(row.power is None for row in rows):
        status = _NOTHING
    else:
        held = all(row.standing is ToleranceStanding.HELD for row in rows)
        status = 0 if held or warn else _NOT_HELD
    print_answer(
        power_text(rows).split("\n"),
        json_=json_,
        alpha=alpha,
        beta=beta,
        exit_status=status,
        rows=power_data(rows),
    )
    return status


def _rows(
    profiles: Sequence[Profile],
    baselines: Sequence[Baseline],
    host_class: str | None,
    alpha: float,
    beta: float,
    place: str,
) -> tuple[PowerRow, ...]:
    """Rows of every host class asked for, each with a baseline of some profile."""
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
    rows: list[PowerRow] = []
    for name in sorted({one.host_class for one in known}):
        mine = {one.profile: one for one in known if one.host_class == name}
        rows += power_rows(asked, mine, host_class=name, alpha=alpha, beta=beta)
    return tuple(rows)
