"""`gate init`: a working layout in another repository."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.formats import disk, toml
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.shipped import files_of
from gate.formats.schemas import schema_text
from gate.judge.power.power import PowerQuestion, power_rows
from gate.judge.verdict.suite import Policy
from gate.model import Better, Leeway, Metric, Planned
from gate.publish.workflow_files import SHAPES, WorkflowOptions, github_files, steps
from gate.units import written_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Baseline

EPILOG = """\b
Examples:
  gate init                                             here, with an example
  gate init ../tool --command "{side}/tool --bench"   for your own command
  gate init --with chat --with iometer-database         with profiles that are shipped
  gate init --github one-stage --machine bench-1        and the workflows of GitHub
"""

_NEXT = """
Next:
  {where}gate run {first} --repeat 5     # a first baseline; more days make it better
  gate baseline accept reports/sessions/{first}-*.json --reason "first baseline"
  gate check                    # open, as long as nothing got slower
  git add profiles baselines reports/.gitignore"""
_NAME = "first"
_TEMPLATE = files("gate.cli").joinpath("start/first.toml")
_TRIALS, _PAIRS = 3, 30
_TOLERANCE, _FIRST = "10%", 0.1
_SMALLEST, _LARGEST = 0.02, 1.0
"""Of tolerances that are proposed: a smaller one asks for confirmations that nobody needs."""
_EXAMPLE = "python3 {side}/bench/example.py"
_PROGRAM = '''\
"""Something to measure: replace it by your own command."""

print(sum(i * i for i in range(2_000_000)))
'''


_workflows = options.bundle(
    "workflows",
    WorkflowOptions,
    options.option("--machine", "Label of the runner.", default="driftgate"),
    options.option(
        "--owners",
        "Who reviews baselines, as CODEOWNERS says it.",
        default="@OWNERS",
        show_default=False,
    ),
    options.option("--branch", "The default branch.", default="main"),
    options.option(
        "--source",
        "Driftgate's repository and full commit; by default where this gate came from.",
        metavar="REPO@COMMIT",
    ),
    options.host_class,
)


@click.command(epilog=EPILOG)
@click.argument("directory", type=options.PathParam, default=Path())
@options.option("--command", "shell_command", "The command to measure.")
@options.option(
    "--with",
    "shipped",
    "A shipped profile, with its jobs and scripts; may be repeated.",
    multiple=True,
    metavar="NAME",
)
@options.option(
    "--github",
    "stages",
    "Also the workflows: one stage for a private repository, two for a public one.",
    type=click.Choice(SHAPES),
)
@_workflows
def command(
    directory: Path,
    shell_command: str | None,
    shipped: tuple[str, ...],
    stages: str | None,
    workflows: WorkflowOptions,
) -> int:
    """Write profiles/, baselines/ and reports/ into DIRECTORY, ready for a first check.

    With --github also the workflows that gate pull requests, pinned to one commit of driftgate.
    Nothing that exists is changed: a file that is there already is kept and named.
    """
    texts = {
        "profiles/profile.schema.json": schema_text("profile"),
        "baselines/README.md": "Accepted measurements, written by `gate baseline accept`.\n",
        "reports/.gitignore": "*\n!.gitignore\n",
    }
    for name in shipped:
        texts |= files_of(name)
    there = sorted(path.stem for path in directory.glob("profiles/*.toml")) if stages else []
    if shell_command is not None or not (shipped or there):
        texts |= _first(directory, shell_command or _EXAMPLE)
    first = (*shipped, *([_NAME] if f"profiles/{_NAME}.toml" in texts else []), *there, _NAME)[0]
    where = "" if directory == Path() else f"cd {shlex.quote(str(directory))}\n  "
    following = _NEXT.format(where=where, first=first)
    if stages is not None:
        workflows = replace(workflows, shape=stages, profile=first)
        texts |= github_files(workflows)
        following = steps(workflows, first, where)
    for name, text in texts.items():
        path = directory / name
        if os.path.lexists(path):
            click.echo(f"kept   {path}")
        else:
            disk.write_text(path, text)
            click.echo(f"wrote  {path}")
    click.echo(following)
    return 0


def _first(directory: Path, shell_command: str) -> dict[str, str]:
    """A profile for one's own command."""
    if "{side}" not in shell_command:
        why = "the command does not use {side}, so base and head would run the same thing."
        cure = 'Write for example --command "{side}/tool --bench".'
        raise InputError("G237", why, cure=cure)
    tolerance, known = _proposed(directory / "baselines")
    profile = Template(_TEMPLATE.read_text("utf-8")).substitute(
        command=toml.value(shell_command), tolerance=tolerance, known=known
    )
    program = {"bench/example.py": _PROGRAM} if shell_command == _EXAMPLE else {}
    return {f"profiles/{_NAME}.toml": profile} | program


def _proposed(baselines: Path) -> tuple[str, str]:
    """The tolerance to begin with, and a comment where a baseline of that name gives it.

    The default holds where there is none; the noisiest host class decides where there are several.
    """
    kept = os.path.lexists(baselines.parent / "profiles" / f"{_NAME}.toml")
    # Unlike Path.is_dir it takes names that no file can have; writing reports those.
    there = os.path.isdir(baselines)  # noqa: PTH112 - see above
    known = [
        (loss, one.host_class)
        for one in (() if kept or not there else read_baselines(baselines))
        if one.profile == _NAME
        for loss in _can_detect(one)
    ]
    if not known:
        return _TOLERANCE, ""
    worst, host_class = max(known)
    if worst > _LARGEST:
        return _TOLERANCE, f"\n# (The baseline of {host_class} is too noisy for any tolerance.)"
    tolerance = written_percent(max(worst, _SMALLEST))
    return tolerance, f"\n# (This one is what the noise of the baseline of {host_class} allows.)"


def _can_detect(baseline: Baseline) -> Iterator[float]:
    """What each benchmark's CPU time can detect, by the baseline's noise."""
    question = PowerQuestion(
        profile=_NAME,
        digest=baseline.profile_digest,
        plans=tuple(
            Planned(benchmark=name, trials=_TRIALS)
            for name in dict.fromkeys(series.benchmark for series in baseline.series)
        ),
        metrics=(Metric(name="cpu", unit="s", better=Better.LOWER, tolerance=_FIRST),),
        trials=_TRIALS,
        pairs=_PAIRS,
        loud=Leeway(),
        sides=False,
    )
    policy = Policy()
    rows = power_rows(
        [question],
        {_NAME: baseline},
        host_class=baseline.host_class,
        alpha=policy.alpha,
        beta=policy.beta,
        brief=True,
    )
    return (row.power.can_detect for row in rows if row.power)
