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
@options.path("--write", "Write all into a directory.")
@options.path("--check", "Compare with a directory.")
def command(kind: str, write: Path | None, check: Path | None) -> int:
    """Print the JSON Schema of KIND (default: profile)."""
    for one in KINDS:
        if write is not None:
            disk.write_text(write / f"{one}.schema.json", schema_text(one))
        elif check is not None:
            path = check / f"{one}.schema.json"
            if disk.read_text(path, "session") != schema_text(one):
                cure = f"gate schema --write {check}"
                raise InputError("G206", "is out of date.", cure=cure, place=str(path))
    if write is None and check is None:
        click.echo(schema_text(kind), nl=False)
    return 0
