"""`gate baseline diff`: the baselines of the working tree against those of a revision."""

from __future__ import annotations

from pathlib import Path

import click

from gate import vcs_tree
from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.pipeline.accept.sessions import as_json, changes_between
from gate.scratch import scratch_directory
from gate.text import clean

EPILOG = """\b
Examples:
  gate baseline diff               working tree against the last commit
  gate baseline diff origin/main   against another revision
"""


@click.command(epilog=EPILOG)
@click.argument("revision", default="HEAD")
@options.baseline_dir
@options.as_json
def command(revision: str, baseline: Path, *, json_: bool) -> int:
    """Compare the baselines in the working tree with those of a git REVISION."""
    after = read_baselines(baseline)
    with scratch_directory("any") as scratch:
        if not vcs_tree.export(baseline, revision, Path(scratch)):
            raise InputError(
                "G200",
                f"git knows no revision {revision[:80]!r} here.",
                cure="Run it inside the repository, with a branch, tag or commit.",
                place=str(baseline),
            )
        before = read_baselines(Path(scratch))
    rows = changes_between(before, after)
    lines = [clean(row.text) for row in rows] or ["no change"]
    print_answer(lines, json_=json_, changes=as_json(rows))
    return 0
