"""`gate schema`: the published formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.formats import disk
from gate.formats.schemas import KINDS, schema_text

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """\b
Examples:
  gate schema profile > profiles/profile.schema.json
  gate schema --write gate/schemas      one file per format
  gate schema --check gate/schemas      fail where one is out of date
"""


@click.command(epilog=EPILOG)
@click.argument("kind", type=click.Choice(KINDS), default="profile")
@click.option("--write", type=options.PathParam, help="Write all into a directory.")
@click.option("--check", type=options.PathParam, help="Compare with a directory.")
def command(kind: str, write: Path | None, check: Path | None) -> int:
    """Print the JSON Schema of KIND (default: profile)."""
    if write is not None:
        for one in KINDS:
            disk.write_text(write / f"{one}.schema.json", schema_text(one))
        return 0
    if check is not None:
        for one in KINDS:
            path = check / f"{one}.schema.json"
            if disk.read_text(path, "session") != schema_text(one):
                raise InputError(
                    "G206", "is out of date.", cure=f"gate schema --write {check}", place=str(path)
                )
        return 0
    click.echo(schema_text(kind), nl=False)
    return 0
