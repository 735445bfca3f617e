"""`gate host`: what this machine is."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from gate.cli import options
from gate.host.identity import read_host

EPILOG = """\b
Examples:
  gate host show
  gate host show --json
"""


@click.group()
def command() -> None:
    """Know the machine that measures."""


@command.command(epilog=EPILOG)
@options.host_class
@click.option("--work", type=options.PathParam, default=Path(), help="Whose disk counts.")
@options.as_json
def show(host_class: str | None, work: Path, *, json_: bool) -> int:
    """Show this machine's class, its stable facts and its epoch facts."""
    host = read_host(work.absolute(), host_class=host_class)
    if json_:
        click.echo(json.dumps({"schema": 1} | dataclasses.asdict(host), indent=1))
        return 0
    click.echo(f"host class   {host.host_class}")
    click.echo(f"fingerprint  {host.fingerprint[:23]}")
    for title, facts in (
        ("stable: a baseline of a machine that differs here is refused", host.stable),
        ("epoch: a change here is shown beside the verdict", host.epoch),
    ):
        click.echo(f"\n{title}")
        for name, value in facts.items():
            click.echo(f"  {name:<16} {value}")
    return 0
