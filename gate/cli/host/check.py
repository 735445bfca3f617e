"""`gate host check`: whether this machine is fit to measure on, and what loss it can detect."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import Interrupted
from gate.formats.host.host_file import read_known_host
from gate.host.identity.identity import read_host
from gate.host.lock import exclusive
from gate.host.readiness.readiness import SAMPLE, check_readiness, no_counter
from gate.linux.machine import ThisMachine
from gate.measure.process.stop import Stop, StopRequested
from gate.model import KnownHost
from gate.model.disturbance import Answer
from gate.pipeline import noise_probe
from gate.pipeline.host_reservation import work_directory
from gate.pipeline.progress import ProgressDisplay
from gate.pipeline.request import HostOptions
from gate.report.text.page import wrap
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.model.disturbance import Readiness
    from gate.pipeline.noise_probe import Probe

_UNFIT = 5
_WIDTH = 80
_INDENT = " " * 26
_MARKS = {Answer.OK: "✓", Answer.OFF: "✗", Answer.UNKNOWN: "?"}

EPILOG = """\b
Examples:
  gate host check                     look for a second, change nothing
  gate host check --probe             and measure the host's noise for a minute
  gate host check --strict --json     every answer with its cure, for machines

\b
Exit status: 0 nothing is off, 5 something is off (with --strict also when
something is unknown), 130 and 143 interrupted.
"""


_host = options.bundle(
    "host",
    HostOptions,
    options.path(
        "--work",
        "Directory whose disk counts; the probe writes in a fresh directory below it.",
        default=Path(),
        show_default=False,
    ),
    options.wait,
    options.host_class,
)


@click.command(epilog=EPILOG)
@_host
@options.flag("--probe", "Measure the noise of a trial on this host, too.")
@options.option(
    "--seconds", "How long the probe measures.", type=click.IntRange(10, 3600), default=60
)
@options.baseline_dir
@options.flag("--strict", "Status 5 also where something is unknown.")
@options.as_json
@options.quiet
def command(
    host: HostOptions,
    seconds: int,
    baseline: Path,
    *,
    probe: bool,
    strict: bool,
    json_: bool,
    quiet: bool,
) -> int:
    """Say whether this machine is fit to measure on.

    Each question answers ok, off or unknown, with what was measured and a cure. What the machine
    does not reveal is unknown, never ok. Which processors measure, and what others may use of the
    machine meanwhile, is read from the class's host.toml where there is one.
    """
    known, checks, noise = _examine(host, baseline, seconds if probe else None, quiet=quiet)
    bad = {Answer.OFF, Answer.UNKNOWN} if strict else {Answer.OFF}
    status = _UNFIT if any(one.answer in bad for one in checks) else 0
    counts = {kind.value: sum(one.answer is kind for one in checks) for kind in Answer}
    print_answer(
        _lines(checks, counts, noise, bad),
        json_=json_,
        exit_status=status,
        host_class=known.host_class,
        measured_cpus=known.measured_cpus,
        summary=counts,
        checks=[asdict(one) for one in checks],
        probe=None if noise is None else noise_probe.as_data(noise),
    )
    return status


def _examine(
    host: HostOptions, baseline: Path, seconds: int | None, *, quiet: bool
) -> tuple[KnownHost, tuple[Readiness, ...], Probe | None]:
    """What is known of the host, the answers and, if seconds are given for it, its noise."""
    work = host.work or Path()
    stop, noise = Stop(), None
    try:
        with ExitStack() as stack:
            stack.enter_context(stop.listening())
            if seconds is not None:
                say = ProgressDisplay().say
                stack.enter_context(exclusive(wait=host.wait, tell=say, pause=stop.sleep))
            this = read_host(work.absolute(), host_class=host.host_class)
            known = read_known_host(baseline, this.host_class) or KnownHost(
                host_class=this.host_class, stable=this.stable
            )  # the usual, where it was never enrolled
            checks = _checks(work, known, stop, quiet=quiet)
            if seconds is not None:
                directory = stack.enter_context(work_directory(work))
                noise = noise_probe.probe(directory, seconds, stop, quiet=quiet)
    except StopRequested as request:
        raise Interrupted(
            request.number, "interrupted; nothing of the host was changed.", cure="Run it again."
        ) from None
    return known, checks, noise


def _checks(work: Path, known: KnownHost, stop: Stop, *, quiet: bool) -> tuple[Readiness, ...]:
    ui = ProgressDisplay(quiet=quiet)
    if ui.live:
        ui.rewrite(f"looking at the machine for {SAMPLE:g} s", "")
    try:
        return check_readiness(
            ThisMachine(),
            work.absolute(),
            measured_cpus=known.measured_cpus,
            limits=known.limits,
            sleep=stop.sleep,
            own=os.getpid(),
            count=no_counter,
        )
    finally:
        ui.done()


def _lines(
    checks: Sequence[Readiness], counts: Mapping[str, int], noise: Probe | None, bad: set[Answer]
) -> Iterator[str]:
    """The table, the cures below what needs one, the sum, and the noise."""
    for one in checks:
        head = f"{_MARKS[one.answer]} {one.name:<15} {one.answer.value:<8}"
        yield from wrap(clean(one.value), _WIDTH, head, _INDENT)
        if one.answer in bad:
            yield from wrap(clean(f"wanted: {one.wanted}"), _WIDTH, _INDENT, _INDENT)
            yield from wrap(clean(f"cure: {one.cure}"), _WIDTH, _INDENT, _INDENT + "  ")
    yield ""
    yield ", ".join(f"{count} {kind}" for kind, count in counts.items())
    if noise is not None:
        yield ""
        yield from noise_probe.as_text(noise)
