"""`gate init`: a working layout in another repository."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from string import Template

import click

from gate.errors import InputError
from gate.files import disk
from gate.files.schemas import schema_text
from gate.files.toml_text import string

EPILOG = """\b
Examples:
  gate init                                             here, with an example
  gate init ../tool --command "{side}/tool --bench"   for your own command
"""

_PROFILE = Template(
    """\
#:schema profile.schema.json
harness = "hyperfine"
about = "What a user waits for: replace this by a sentence on your command"
command = """
    """$command
warmup = 1
timeout = "2 min"
trials = { screen = 3, confirm_pairs = 30 }

# {side} in the command stands for this directory, or for the one that --head names. With a second
# checkout the gate proves instead of suspecting: gate check --base ../main
[side.head]
dir = "."

[metric.cpu] # user + system time of the command
tolerance = "10%"
[metric.wall]
role = "watch"
"""
)

_EXAMPLE = "python3 {side}/bench/example.py"
_PROGRAM = '''\
"""Something to measure: replace it by your own command."""

print(sum(i * i for i in range(2_000_000)))
'''


@click.command(epilog=EPILOG)
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--command", "shell_command", default=_EXAMPLE, help="The command to measure.")
def command(directory: Path, shell_command: str) -> int:
    """Write profiles/, baselines/ and reports/ into DIRECTORY, ready for a first check.

    Nothing that exists is changed: a file that is there already is kept and named.
    """
    if "{side}" not in shell_command:
        raise InputError(
            "G237",
            "the command does not use {side}, so base and head would run the same thing.",
            cure='Write for example --command "{side}/tool --bench".',
        )
    profile = _PROFILE.substitute(command=string(shell_command))
    files = {
        "profiles/first.toml": profile,
        "profiles/profile.schema.json": schema_text("profile"),
        "baselines/README.md": "Accepted measurements, written by `gate baseline accept`.\n",
        "reports/.gitignore": "*\n!.gitignore\n",
    }
    if shell_command == _EXAMPLE:
        files["bench/example.py"] = _PROGRAM
    for name, text in files.items():
        path = directory / name
        if os.path.lexists(path):
            click.echo(f"kept   {path}")
            continue
        disk.write_text(path, text)
        click.echo(f"wrote  {path}")
    where = "" if directory == Path() else f"cd {shlex.quote(str(directory))}\n  "
    click.echo(f"""
Next:
  {where}gate run first --repeat 5     # a first baseline; more days make it better
  gate baseline accept reports/sessions/first-*.json --reason "first baseline"
  gate check                    # open, as long as nothing got slower
  git add profiles baselines reports/.gitignore""")
    return 0
