"""`gate power`: the smallest loss that each metric can detect, and what more would buy.

The rows of `gate power` as text of 80 columns, and as data.
"""

from __future__ import annotations

import json
import math
from itertools import groupby
from pathlib import Path  # noqa: TC003 - click resolves it
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import NothingCompared
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.profile_file import load_profiles
from gate.judge.power.power import ToleranceStanding
from gate.judge.power.sentences import sentence
from gate.pipeline.request import with_sides
from gate.report.text.page import fit, wrap
from gate.text import clean, guard_line
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.power.power import PowerRow
    from gate.model import Baseline, Profile
    from gate.pipeline.request import Selection, SideOptions
    from gate.stats.power import Power


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
@click.option(
    "--host-class", default=None, help="Only this host class; by default every one with a baseline."
)
@options.alpha
@options.beta
@click.option("--warn", is_flag=True, help="Status 0 also where a tolerance is not held.")
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
    """Tell from the baseline's own noise what PROFILEs (default: all) can detect.

    For each metric that may close the gate: the smallest tolerance that its noise can hold, the
    smallest loss that is found with probability 95 % as things are set, the chance that a loss of
    the tolerance is proven, and the trials that a check takes. Nothing is measured.
    """
    profiles = load_profiles(selection.names, selection.profiles, selection.size)
    chosen = [with_sides(one, sides) for one in profiles]
    rows = _rows(chosen, read_baselines(baseline), host_class, alpha, beta, str(baseline))
    from gate.judge.power.power import ToleranceStanding  # noqa: PLC0415

    if all(row.power is None for row in rows):
        status = _NOTHING
    else:
        held = all(row.standing is ToleranceStanding.HELD for row in rows)
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
) -> tuple[PowerRow, ...]:
    """Rows of every host class asked for.

    Raises:
        NothingCompared: none of the profiles has a baseline there.
    """
    from gate.judge.power.power import asked_by, power_rows  # noqa: PLC0415 - scipy

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


_WIDTH = 80
_NAME = 28
_MOST_DETAILS = 12
"""Rows whose further figures are shown; `--json` has all."""
_ABSURD = 10.0
"""A loss beyond this is told as one that nobody asks for."""
_HEAD = ("tolerance", "holds", "finds", "chance", "unchanged", "slower")
_COLUMNS = (9, 7, 7, 7, 9, 7)
_LEGEND = (
    "holds: the smallest tolerance that the noise can bear. finds: the smallest loss proven with "
    "probability 95 % as things are set. chance: that a loss of the tolerance is proven. "
    "unchanged, slower: trials that a check takes, of both sides, without a loss and with one of "
    "the tolerance."
)


def as_text(rows: Sequence[PowerRow]) -> str:
    """A table for each host class and profile, sentences for what is not held, a legend."""
    lines: list[str] = []
    for _, group in groupby(rows, key=lambda row: (row.host_class, row.profile)):
        lines += [*_table(tuple(group)), ""]
    lines += _more(rows)
    lines += wrap(_LEGEND, _WIDTH)
    return "\n".join(guard_line(line) for line in lines)


def _table(rows: Sequence[PowerRow]) -> Iterator[str]:
    first = rows[0]
    way = f"pairs, at most {first.pairs}" if first.sides else "no base side: strikes"
    yield from wrap(clean(f"{first.profile} on {first.host_class} ({way})"), _WIDTH)
    head = "".join(f" {name:>{width}}" for name, width in zip(_HEAD, _COLUMNS, strict=True))
    yield " " * _NAME + head.rstrip()
    for row in rows:
        yield _line(row)
        if text := sentence(row):
            yield from wrap(clean(text), _WIDTH, "    ", "    ")


def _line(row: PowerRow) -> str:
    mark = "✓" if row.standing is ToleranceStanding.HELD else "✗"
    cells = [percent(row.tolerance, signed=False)]
    if row.power is not None:
        cells += _cells(row.power)
    shown = "".join(f" {one:>{width}}" for one, width in zip(cells, _COLUMNS, strict=False))
    return fit(clean(f"{mark} {row.benchmark} {row.metric}"), _NAME) + shown


def _cells(power: Power) -> list[str]:
    return [
        _loss(power.detectable),
        _loss(power.finds),
        f"{math.floor(power.chance * 100)} %",
        f"{power.unchanged:.1f}",
        f"{power.slower:.1f}",
    ]


def _loss(value: float) -> str:
    if math.isinf(value):
        return "none"
    return percent(value, signed=False) if value < _ABSURD else ">1000 %"


def _more(rows: Sequence[PowerRow]) -> Iterator[str]:
    """What more would buy: of the metrics not held, or of all where those are few."""
    known = [row for row in rows if row.more]
    open_ = [row for row in known if row.standing is not ToleranceStanding.HELD]
    shown = known if len(known) <= _MOST_DETAILS else open_[:_MOST_DETAILS]
    if not shown:
        return
    yield "What more would buy: tolerance held (trials that an unchanged metric takes)"
    for row in shown:
        yield from wrap(clean(f"{row.benchmark} {row.metric}"), _WIDTH, "  ", "    ")
        for what, group in groupby(row.more, key=lambda one: one.what):
            cells = [
                f"{one.count}: {_loss(one.power.detectable)} ({one.power.unchanged:.1f})"
                for one in group
            ]
            yield from wrap("  ".join(cells), _WIDTH, f"    {what:<9}", " " * 13)
    yield ""


def as_data(rows: Sequence[PowerRow]) -> list[dict[str, object]]:
    """Every figure of every row; what does not exist is null."""
    return [
        {
            "host_class": row.host_class,
            "profile": row.profile,
            "benchmark": row.benchmark,
            "metric": row.metric,
            "standing": row.standing.value,
            "text": sentence(row),
            "tolerance": row.tolerance,
            "sides": row.sides,
            "sessions": row.sessions,
            "trials": row.trials,
            "pairs": row.pairs if row.sides else None,
            "power": None if row.power is None else _figures(row.power),
            "more": [
                {"what": one.what, "count": one.count, "power": _figures(one.power)}
                for one in row.more
            ],
        }
        for row in rows
    ]


def _figures(power: Power) -> dict[str, float | None]:
    figures = {
        "detectable": power.detectable,
        "judged_at": power.judged_at,
        "finds": power.finds,
        "chance": power.chance,
        "unchanged": power.unchanged,
        "slower": power.slower,
    }
    return {name: None if math.isinf(value) else value for name, value in figures.items()}
