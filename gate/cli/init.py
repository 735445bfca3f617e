"""`gate init`: a working layout in another repository.

The profiles that come with the gate, from a wheel or from a checkout.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
from pathlib import Path
from string import Template

import click

import gate
from gate.cli import options
from gate.cli.init_github import SHAPES, WorkflowOptions, github_files, steps
from gate.errors import InputError
from gate.formats import disk
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.sizes import scripts_of
from gate.formats.schemas import schema_text
from gate.formats.toml import string
from gate.model import Better, Metric, Planned


def shipped_profiles() -> Path:
    """The directory of the shipped profiles.

    Raises:
        InputError: the installation lacks them.
    """
    package = Path(gate.__file__).resolve().parent
    for place in (package / "shipped" / "profiles", package.parent / "profiles"):
        if (place / "smoke-command.toml").is_file():
            return place
    raise InputError(
        "G201",
        "the shipped profiles are not part of this installation.",
        cure="Install the wheel or run from a checkout.",
        place=str(package),
    )


def shipped_names() -> tuple[str, ...]:
    """The profiles that others may take into their project; those of the demo are its own."""
    found = sorted(path.stem for path in shipped_profiles().glob("*.toml"))
    return tuple(name for name in found if not name.startswith("smoke-"))


def files_of(name: str) -> dict[str, str]:
    """A shipped profile with the jobs and scripts that it runs: path in a project -> text.

    Raises:
        InputError: there is no such profile.
    """
    known = shipped_names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f'Did you mean "{close[0]}"?' if close else f"There are: {', '.join(known)}."
        raise InputError("G211", f"no profile {name[:200]} is shipped.", cure=hint)
    source = shipped_profiles()
    text = disk.read_text(source / f"{name}.toml", "profile")
    text = re.sub(r"\A#:schema .*", "#:schema profile.schema.json", text)
    taken = [source / job for job in re.findall(r"\bjobs/[\w.-]+\.fio\b", text)]
    taken += [source.parent / script for script in sorted(scripts_of((text,), source.parent))]
    return {f"profiles/{name}.toml": text} | {
        f"profiles/{path.relative_to(source)}": disk.read_text(path, "file") for path in taken
    }


EPILOG = """\b
Examples:
  gate init                                             here, with an example
  gate init ../tool --command "{side}/tool --bench"   for your own command
  gate init --with chat --with iometer-database         with profiles that are shipped
  gate init --github one-stage --machine bench-1        and the workflows of GitHub
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
trials = { screen = 3, confirm_pairs = 100 }

# {side} in the command stands for this directory, or for the one that --head names. With a second
# checkout the gate proves instead of suspecting: gate check --base ../main
[side.head]
dir = "."

# The smallest loss that must not get in. Once five sessions are accepted, `gate power first` tells
# which tolerance, how many trials and how many pairs suit the noise of this machine.$known
[metric.cpu] # user + system time of the command
tolerance = "$tolerance"
[metric.wall]
role = "watch"
"""
)

_NAME = "first"
_TRIALS, _PAIRS = 3, 30
_TOLERANCE, _FIRST = "10%", 0.1
_SMALLEST, _LARGEST = 0.02, 1.0
"""Of tolerances that are proposed: a smaller one asks for confirmations that nobody needs."""
_EXAMPLE = "python3 {side}/bench/example.py"
_PROGRAM = '''\
"""Something to measure: replace it by your own command."""

print(sum(i * i for i in range(2_000_000)))
'''


@click.command(epilog=EPILOG)
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--command", "shell_command", default=None, help="The command to measure.")
@click.option(
    "--with",
    "shipped",
    multiple=True,
    metavar="NAME",
    help="A shipped profile, with its jobs and scripts; may be repeated.",
)
@click.option(
    "--github",
    "shape",
    type=click.Choice(SHAPES),
    help="Also the workflows: one stage for a private repository, two for a public one.",
)
@click.option("--machine", default="driftgate", show_default=True, help="Label of the runner.")
@click.option("--owners", default="@OWNERS", help="Who reviews baselines, as CODEOWNERS says it.")
@click.option("--branch", default="main", show_default=True, help="The default branch.")
@click.option(
    "--source",
    metavar="REPO@COMMIT",
    default=None,
    help="Driftgate's repository and full commit; by default where this gate came from.",
)
@options.host_class
def command(
    directory: Path,
    shell_command: str | None,
    shipped: tuple[str, ...],
    shape: str | None,
    machine: str,
    owners: str,
    branch: str,
    source: str | None,
    host_class: str | None,
) -> int:
    """Write profiles/, baselines/ and reports/ into DIRECTORY, ready for a first check.

    With --github also the workflows that gate pull requests, pinned to one commit of driftgate.
    Nothing that exists is changed: a file that is there already is kept and named.
    """
    files = {
        "profiles/profile.schema.json": schema_text("profile"),
        "baselines/README.md": "Accepted measurements, written by `gate baseline accept`.\n",
        "reports/.gitignore": "*\n!.gitignore\n",
    }
    for name in shipped:
        files |= files_of(name)
    there = sorted(path.stem for path in directory.glob("profiles/*.toml")) if shape else []
    if shell_command is not None or not (shipped or there):
        files |= _first(directory, shell_command or _EXAMPLE)
    first = (*shipped, *([_NAME] if f"profiles/{_NAME}.toml" in files else []), *there, _NAME)[0]
    if shape is not None:
        wanted = WorkflowOptions(
            shape=shape,
            source=source,
            machine=machine,
            host_class=host_class or "",
            owners=owners,
            branch=branch,
            profile=first,
        )
        files |= github_files(wanted)
    for name, text in files.items():
        path = directory / name
        if os.path.lexists(path):
            click.echo(f"kept   {path}")
            continue
        disk.write_text(path, text)
        click.echo(f"wrote  {path}")
    where = "" if directory == Path() else f"cd {shlex.quote(str(directory))}\n  "
    if shape is not None:
        click.echo(steps(wanted, first, where))
        return 0
    click.echo(f"""
Next:
  {where}gate run {first} --repeat 5     # a first baseline; more days make it better
  gate baseline accept reports/sessions/{first}-*.json --reason "first baseline"
  gate check                    # open, as long as nothing got slower
  git add profiles baselines reports/.gitignore""")
    return 0


def _first(directory: Path, shell_command: str) -> dict[str, str]:
    """A profile for one's own command.

    Raises:
        InputError: the command has no side.
    """
    if "{side}" not in shell_command:
        raise InputError(
            "G237",
            "the command does not use {side}, so base and head would run the same thing.",
            cure='Write for example --command "{side}/tool --bench".',
        )
    tolerance, known = _proposed(directory / "baselines")
    profile = _PROFILE.substitute(command=string(shell_command), tolerance=tolerance, known=known)
    program = {"bench/example.py": _PROGRAM} if shell_command == _EXAMPLE else {}
    return {f"profiles/{_NAME}.toml": profile} | program


def _proposed(baselines: Path) -> tuple[str, str]:
    """The tolerance to begin with, and a comment where a baseline of that name tells it.

    The default holds where there is none; the loudest host class decides where there are several.
    """
    kept = os.path.lexists(baselines.parent / "profiles" / f"{_NAME}.toml")
    # Unlike Path.is_dir it bears names that no file can have; writing tells of those.
    there = os.path.isdir(baselines)  # noqa: PTH112
    known_here = () if kept or not there else read_baselines(baselines)
    found = [one for one in known_here if one.profile == _NAME]
    if not found:
        return _TOLERANCE, ""
    from gate.judge.power.power import PowerQuestion, power_rows  # noqa: PLC0415
    from gate.judge.power.sentences import rounded_up  # noqa: PLC0415 - scipy
    from gate.judge.verdict.suite import Policy  # noqa: PLC0415

    policy = Policy()
    known = []
    for one in found:
        asked = PowerQuestion(
            profile=_NAME,
            digest=one.profile_digest,
            plans=tuple(
                Planned(benchmark=name, trials=_TRIALS)
                for name in dict.fromkeys(series.benchmark for series in one.series)
            ),
            metrics=(Metric(name="cpu", unit="s", better=Better.LOWER, tolerance=_FIRST),),
            trials=_TRIALS,
            pairs=_PAIRS,
            loud="raise",
            sides=False,
        )
        rows = power_rows(
            [asked],
            {_NAME: one},
            host_class=one.host_class,
            alpha=policy.alpha,
            beta=policy.beta,
            brief=True,
        )
        known += [(row.power.detectable, one.host_class) for row in rows if row.power]
    if not known:
        return _TOLERANCE, ""
    worst, host_class = max(known)
    if worst > _LARGEST:
        return _TOLERANCE, f"\n# (The baseline of {host_class} is too loud for any tolerance.)"
    tolerance = rounded_up(max(worst, _SMALLEST))
    return tolerance, f"\n# (This one is what the noise of the baseline of {host_class} can hold.)"
