"""`gate host show`: what this machine is."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.files.calibration_file import read_rounds
from gate.host.identity import read_host
from gate.judge.rounds import Wanted
from gate.judge.suite import Policy
from gate.report import record

if TYPE_CHECKING:
    from gate.model import Calibration

EPILOG = """\b
Examples:
  gate host show
  gate host show --json
"""


@click.command(epilog=EPILOG)
@options.host_class
@click.option("--work", type=options.PathParam, default=Path(), help="Whose disk counts.")
@options.baseline_dir
@options.as_json
def command(host_class: str | None, work: Path, baseline: Path, *, json_: bool) -> int:
    """Show this machine's class, its facts, and how well the gate does on it.

    The record is that of every profile calibrated on this host class, with the usual promise.
    """
    host = read_host(work.absolute(), host_class=host_class)
    known = _record(baseline, host.host_class)
    if json_:
        calibration = None if known is None else dataclasses.asdict(known)
        told = {"schema": 1} | dataclasses.asdict(host) | {"calibration": calibration}
        click.echo(json.dumps(told, indent=1))
        return 0
    click.echo(f"host class   {host.host_class}")
    click.echo(f"fingerprint  {host.fingerprint[:23]}")
    click.echo(f"record       {record.line(known)}")
    for text in filter(None, (record.details(known), record.unfit(known))):
        click.echo(f"             {text}")
    for title, facts in (
        ("stable: a baseline of a machine that differs here is refused", host.stable),
        ("epoch: a change here is shown beside the verdict", host.epoch),
    ):
        click.echo(f"\n{title}")
        for name, value in facts.items():
            click.echo(f"  {name:<16} {value}")
    return 0


def _record(baseline: Path, host_class: str) -> Calibration | None:
    rounds = [one for one in read_rounds(baseline) if one.host_class == host_class]
    if not rounds:
        return None
    from gate.judge.fitness import seen  # noqa: PLC0415 - scipy, only where there is a record

    usual = Policy()
    wanted = Wanted(host_class=host_class, texts=None, alpha=usual.alpha, beta=usual.beta)
    return seen(rounds, wanted)
