"""`gate compare`: base against head here and now, without a profile or a baseline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.formats import disk
from gate.formats.profile.comparison import ComparedWork, comparison_profile, comparison_text
from gate.harness.pytest_benchmark import tests_in
from gate.measure.process.stop import Stop
from gate.pipeline.check import ComparisonOptions, run_comparison
from gate.pipeline.progress import ProgressDisplay
from gate.pipeline.request import with_sides
from gate.pipeline.subprocess_call import call_in_subprocess, lasting_subprocess

if TYPE_CHECKING:
    from gate.model import Report
    from gate.pipeline.request import HostOptions, OutputOptions, SideOptions

EPILOG = """\b
Examples:
  gate compare './tool-old bench' './tool bench'      two commands
  gate compare --base ../old --head . -- {side}/tool bench
                                                      one command, two trees
  gate compare --base ../old --head . --pytest test_bench.py
  gate compare --base-env Q=1 --head-env Q=8 --fio job.fio
  gate compare --metric cpu --tolerance 2% 'old' 'new'
  gate compare --save-profile profiles/tool.toml 'old' 'new'

\b
Exit status: as `gate check`: 0 no loss as large as the tolerance, 2 usage,
4 a measurement failed, 5 not decided, 10 a loss is proven.
"""


@click.command(epilog=EPILOG)
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@options.sides
@options.path("--fio", "Compare a fio job; ${GATE_SIDE_DIR} in it is the side's directory.")
@options.option("--pytest", "Compare pytest-benchmark tests in each side's tree.", metavar="TESTS")
@options.option(
    "--metric", "metrics", "What is judged; may be repeated.", multiple=True, metavar="NAME"
)
@options.option("--tolerance", "The smallest loss that counts.", default="5%", metavar="PERCENT")
@options.pairs
@options.within
@options.path("--save-profile", "Write the profile that was used, for `gate check`.")
@options.host
@options.answer_output
def command(
    words: tuple[str, ...],
    sides: SideOptions,
    fio: Path | None,
    pytest: str | None,
    metrics: tuple[str, ...],
    tolerance: str,
    pairs: int | None,
    within: float | None,
    save_profile: Path | None,
    host: HostOptions,
    output: OutputOptions,
) -> int:
    """Run two commands, or one in two trees, in random order, until it is clear which is slower.

    Nothing has to be set up or accepted first. Commands are judged by wall time (`--metric cpu`
    is far quieter on a busy machine), fio by its IOPS, pytest-benchmark by the median.
    """
    asked = ComparedWork(
        words=words,
        job=fio,
        tests=_tests(pytest, sides) if pytest else (),
        metrics=metrics,
        tolerance=f"{options.ratio_in('--tolerance', tolerance) * 100:g}%",
        pairs=pairs or 100,
        sides=any((sides.base_dir, sides.head_dir, sides.base_env, sides.head_env)),
    )
    profile = with_sides(comparison_profile(asked), sides)
    for place in filter(None, (save_profile, output.out)):
        if os.path.lexists(place):
            cure = "Name another."
            raise InputError("G222", "it is there already.", cure=cure, place=str(place))
    if save_profile is not None:  # first: a wrong place must not cost the measurement
        environments = {side: one.environment for side, one in profile.sides.items()}
        disk.write_text(save_profile, comparison_text(asked, environments, save_profile.parent))
    how, ui = ComparisonOptions(host=host, within=within), ProgressDisplay(quiet=output.quiet)
    with lasting_subprocess():
        report, _ = run_comparison(profile, how, ui)
        shown = call_in_subprocess(Stop(), _shown, report, output, str(save_profile or ""))
    click.echo(shown, nl=False)
    if output.out is not None and not output.json:
        click.echo(f"report: {output.out / 'report.html'}", err=True)
    return report.exit_status


def _shown(report: Report, output: OutputOptions, saved: str) -> str:
    """The answer as the terminal takes it; made where everything for that is loaded."""
    from gate.pipeline.report_files import shown_comparison  # noqa: PLC0415 - jinja

    return shown_comparison(report, json_=output.json, out=output.out, saved=saved)


def _tests(wanted: str, sides: SideOptions) -> tuple[str, ...]:
    """The tests of the head's tree: both sides run the same."""
    return tests_in((sides.head_dir or sides.base_dir or Path()).absolute(), wanted)
