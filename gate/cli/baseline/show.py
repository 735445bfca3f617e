"""`gate baseline show`: the accepted level of every series."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.pipeline.accept.sessions import level_of
from gate.text import clean
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gate.model import Baseline

EPILOG = """\b
Examples:
  gate baseline show
  gate baseline show smoke-fio --json
"""


@click.command(epilog=EPILOG)
@click.argument("profile", nargs=-1)
@options.baseline_dir
@options.as_json
def command(profile: tuple[str, ...], baseline: Path, *, json_: bool) -> int:
    """Show the accepted level of every series, and how many sessions and epochs it has."""
    found = [b for b in read_baselines(baseline) if not profile or b.profile in profile]
    if not found:
        raise InputError(
            "G280",
            f"there is no baseline{' of ' + ', '.join(profile) if profile else ''}.",
            cure="Take sessions with `gate run`, then `gate baseline accept`.",
            place=str(baseline),
        )
    lines = [line for one in found for line in _lines(one)]
    print_answer(lines, json_=json_, series=[row for one in found for row in _rows(one)])
    return 0


def _lines(baseline: Baseline) -> Iterator[str]:
    count = len(baseline.sessions)
    yield f"{baseline.profile} on {baseline.host_class}: {count} sessions accepted"
    for series in baseline.series:
        yield (
            f"  {series.benchmark} {series.metric}: {show(level_of(series), series.unit)}, "
            f"{len(series.current)} sessions in epoch {series.current[0].epoch}"
        )
    last = baseline.sessions[-1]
    yield clean(f"last accepted {last.accepted[:10]} by {last.by}: {last.reason}")


def _rows(baseline: Baseline) -> list[dict[str, object]]:
    return [
        {
            "profile": baseline.profile,
            "host_class": baseline.host_class,
            "benchmark": series.benchmark,
            "metric": series.metric,
            "unit": series.unit,
            "better": series.better,
            "median": level_of(series),
            "sessions": len(series.current),
            "epoch": series.current[0].epoch,
        }
        for series in baseline.series
    ]
