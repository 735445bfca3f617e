"""`gate demo`: the gate stays open for an unchanged system and closes for a planted slowdown."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click

from gate.cli import options
from gate.errors import CannotJudge, InputError, MeasureError
from gate.formats import disk
from gate.formats.profile.shipped import shipped_profiles

EPILOG = """\b
Example:
  gate demo

\b
Exit status: 0 the gate was open for the unchanged system and closed for the
slower one, 4 a measurement failed, 5 this host is busy or too noisy for the demo.
"""
_MARK = ".driftgate-demo"
_CHECKS = (
    ("unchanged", "head", 200, "the same code again", "open"),
    ("slower", "slower", 240, "about 20 % more work", "closed"),
)
"""Report, side, pause of the paced reader in us, what it is, and the gate that is expected.

40 us more of 200 cost the reader about a fifth of its rate.
"""
_PLANTS = {
    "checksum.py": ("ROUNDS = 24", "ROUNDS = 29"),
    "codec.py": ("REPEATS = 10", "REPEATS = 12"),
}
"""About 20 % more real work in the command and in the function."""


@click.command(epilog=EPILOG)
@options.path("--out", "Everything is written below this directory.", default=Path("reports/demo"))
@options.wait
def command(out: Path, wait: float) -> int:
    """Check the same code on both sides, then check it slowed down.

    Three short profiles are measured with real fio, hyperfine and pytest-benchmark, in about three
    minutes: base and head beside each other, in random order. Nothing has to be accepted first. The
    slowdown is real: about 20 % more work in a command and in a Python function, a longer pause
    in a fio job.
    """
    _fresh(out)
    shutil.copytree(
        shipped_profiles(), out / "profiles", ignore=shutil.ignore_patterns("__pycache__")
    )
    for side in ("base", "head", "slower"):
        shutil.copytree(out / "profiles" / "subject", out / side)
    _plant(out / "slower")
    profiles = [p for p in sorted((out / "profiles").glob("*.toml")) if p.stem.startswith("smoke-")]
    common = [p.stem for p in profiles] + ["--profiles", str(out / "profiles")]
    common += ["--wait", f"{wait:g}s"] if wait else []
    base = ["--base", str(out / "base"), "--base-env", "SMOKE_PAUSE_US=200"]
    (out / "baselines").mkdir()
    ended = []
    for number, (name, head, pause, what, _) in enumerate(_CHECKS, start=1):
        _title(f"{number}. Check: {what}")
        sides = ["--head", str(out / head), "--head-env", f"SMOKE_PAUSE_US={pause}"]
        place = ["--baseline", str(out / "baselines"), "--out", str(out / "reports" / name)]
        ended.append(_gate("check", *common, *base, *sides, *place, ends=(0, 5, 10)))
    return _conclude(out, *ended)


def _fresh(out: Path) -> None:
    """Start from nothing, but never remove a directory that a demo did not make."""
    if os.path.lexists(out) and (not out.is_dir() or any(out.iterdir())):
        if not (out / _MARK).is_file():
            raise InputError(
                "G222",
                "the directory holds something that no demo wrote.",
                cure="Name another with --out.",
                place=str(out),
            )
        shutil.rmtree(out)
    disk.write_text(
        out / _MARK, "Made by `gate demo`, which removes this directory when run again.\n"
    )


def _plant(directory: Path) -> None:
    for name, (before, after) in _PLANTS.items():
        path = directory / name
        text = path.read_text(encoding="utf-8")
        if before not in text:
            raise InputError("G210", f"{before!r} is not there to be slowed down.", place=str(path))
        path.write_text(text.replace(before, after), encoding="utf-8")


def _gate(*arguments: str, ends: tuple[int, ...] = (0,)) -> int:
    """Run one command of ours as a user would, showing it."""
    click.echo(f"$ gate {shlex.join(arguments)}", err=True)
    sys.stdout.flush()
    status = subprocess.run([sys.executable, "-m", "gate", *arguments], check=False).returncode
    if status in {-2, 130}:
        raise click.Abort
    if status not in ends:
        raise MeasureError("G050", f"gate {arguments[0]} ended with status {status}.")
    return status


def _title(text: str) -> None:
    click.echo(f"\n{text}\n{'-' * len(text)}", err=True)


def _conclude(out: Path, unchanged: int, slower: int) -> int:
    click.echo("")
    for name, _, _, _, expected in _CHECKS:
        place = out / "reports" / name
        report = json.loads((place / "report.json").read_text(encoding="utf-8"))
        verdict = (
            f"gate {report['gate']} ({report['verdict']}), exit status {report['exit_status']}"
        )
        click.echo(f"{name:<10} {verdict}; expected: {expected}")
        click.echo(f"{'':<10} {place / 'report.html'}")
    if (unchanged, slower) == (0, 10):
        return 0
    raise CannotJudge(
        "G020",
        f"the demo expected exit status 0 and 10, and saw {unchanged} and {slower}.",
        cure="This host is too noisy just now, or busy; try again when it is quiet.",
    )
