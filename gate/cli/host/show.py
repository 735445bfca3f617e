"""`gate host show`: what this machine is."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.formats import disk
from gate.formats.baseline.calibration_file import read_rounds
from gate.host.identity.identity import read_host
from gate.host.identity.recording import publishable_recording
from gate.judge.calibration_rounds import RoundFilter
from gate.judge.host_fitness import class_record
from gate.judge.verdict.suite import Policy
from gate.linux.machine import MachineRecorder, ThisMachine
from gate.pipeline.report_files import terminal_width
from gate.report.wording import calibration_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gate.model import Calibration, Host

EPILOG = """\b
Examples:
  gate host show
  gate host show --work /mnt/scratch
  gate host show --json
  gate host show --record machine.json      what was read, for a bug report
"""


@click.command(epilog=EPILOG)
@options.host_class
@options.disk_directory
@options.baseline_dir
@options.path(
    "--record",
    "record_to",
    "Write what was read to a new file; it holds no serial numbers.",
    metavar="FILE",
)
@options.as_json
def command(
    host_class: str | None, work: Path, baseline: Path, record_to: Path | None, *, json_: bool
) -> int:
    """Show this machine's class, its facts, and how well the gate does on it.

    The record is that of every profile calibrated on this host class, with the usual promise.
    """
    if record_to is not None and not disk.is_absent(record_to):
        cure = "Name a new file with --record FILE."
        raise InputError("G208", "stands there already.", cure=cure, place=str(record_to))
    recorder = MachineRecorder(ThisMachine())
    host = read_host(work.absolute(), machine=recorder, host_class=host_class)
    known = _record(baseline, host.host_class)
    calibration = None if known is None else asdict(known)
    print_answer(_lines(host, known), json_=json_, **asdict(host), calibration=calibration)
    if record_to is not None:
        about = f"{host.host_class}: {host.stable['cpu_model']}, {host.stable['disk_model']}"
        data = publishable_recording(
            recorder, work.absolute(), about=about, source="gate host show --record"
        )
        disk.write_text(record_to, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        click.echo(
            f"{record_to}: what was read of this machine; no serial numbers, addresses or names.",
            err=True,
        )
    return 0


def _lines(host: Host, known: Calibration | None) -> Iterator[str]:
    yield f"host class   {host.host_class}"
    yield f"fingerprint  {host.fingerprint[:23]}"
    yield f"record       {calibration_record.line(known)}"
    for text in filter(None, (calibration_record.details(known), calibration_record.unfit(known))):
        yield f"             {text}"
    for title, facts in (
        ("stable: a baseline of a machine that differs here is refused", host.stable),
        ("epoch: a change here is reported, and refused or a new epoch", host.epoch),
        ("live: of this moment, recorded and never compared", host.live),
    ):
        yield from ("", title)
        for name, value in facts.items():
            yield from textwrap.wrap(
                value,
                width=terminal_width(),
                initial_indent=f"  {name:<18} ",
                subsequent_indent=" " * 21,
                break_on_hyphens=False,
            )


def _record(baseline: Path, host_class: str) -> Calibration | None:
    rounds = [one for one in read_rounds(baseline) if one.host_class == host_class]
    if not rounds:
        return None
    usual = Policy()
    return class_record(
        rounds, RoundFilter(host_class=host_class, texts=None, alpha=usual.alpha, beta=usual.beta)
    )
