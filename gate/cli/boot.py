"""`gate boot`: run a command on a side's kernel, in a machine that is thrown away."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_json
from gate.errors import Interrupted, MeasureError
from gate.formats.profile.machines import machine_of
from gate.measure.boot import BootRequest, boot_side
from gate.measure.process.stop import Stop, StopRequested
from gate.pipeline.progress import ProgressDisplay
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from gate.model import Machine

EPILOG = """\b
Examples:
  gate boot head -- uname -a                 on the kernel in directory head
  gate boot head --module 'null_blk gb=1' -- fio job.fio
  gate boot head --disk 'nvme:1 GiB' --out results -- ./measure.sh results
  gate boot head --out out -- gate run smoke-fio --out out

\b
The directory is one like an unpacked kernel package, boot/vmlinuz-* and
lib/modules/*. The guest's root is this machine's, read-only, below a layer in
memory: every file has its path, and nothing that is written there stays, but
for what is written into --out. The kernel needs 9p over virtio and overlay.

\b
Exit status: the command's own; 4 where the guest crashed, hung, or its kernel
is not proven to be the one in the directory.
"""

_request = options.bundle(
    "request",
    BootRequest,
    click.argument("side", type=options.PathParam),
    click.argument("words", nargs=-1, required=True, metavar="COMMAND [WORD]..."),
    options.option(
        "--module",
        "modules",
        "A module to load; repeatable.",
        multiple=True,
        metavar="NAME [PARAMETER]...",
    ),
    options.option(
        "--limit",
        "Kill the machine after this time.",
        metavar="TIME",
        default="10 min",
        callback=options.waiting_time,
    ),
    options.path("--out", "A directory that keeps what the command writes into it."),
    options.path("--console", "File for what the kernel printed."),
)
_machine = options.bundle(
    "machine",
    machine_of,
    options.option(
        "--disk",
        "disks",
        "An empty disk: virtio:1GiB, nvme:512MiB.",
        multiple=True,
        metavar="BUS:SIZE",
    ),
    options.option("--memory", "Memory of the machine.", default="2 GiB"),
    options.option("--cpus", "Processors of the machine.", type=click.IntRange(1, 64), default=1),
    options.option(
        "--accelerator",
        "KVM, emulation, or KVM where a probe boot proves it usable.",
        type=click.Choice(["auto", "kvm", "tcg"]),
        default="auto",
    ),
    options.option(
        "--append",
        "command_line",
        "Words to add to the kernel's command line.",
        default="",
        metavar="WORDS",
    ),
)


@click.command(epilog=EPILOG)
@_request
@_machine
@options.as_json
@options.quiet
def command(request: BootRequest, machine: Machine, *, json_: bool, quiet: bool) -> int:
    """Boot the kernel in directory SIDE and run COMMAND on it, as root, in this directory.

    The running kernel is proven to be the one in the directory, by release, version and build-id,
    before the command and after it.
    """
    progress = ProgressDisplay(quiet=quiet)
    try:
        with (
            Stop().listening() as stop,
            scratch_directory("boot") as name,
        ):
            result = boot_side(request, machine, Path(name), stop, progress.say)
    except StopRequested as signal:
        cure = "Run the same command again."
        raise Interrupted(signal.number, "interrupted; the machine is gone.", cure=cure) from None
    finally:
        progress.done()
    if json_:
        print_json({"schema": 1} | asdict(result))
    else:
        sys.stdout.write(result.out)
        sys.stderr.write(result.err)
    if result.failed:
        cure = "Keep what it printed: --console FILE."
        raise MeasureError("G264", f"{result.failed}.", cure=cure)
    return result.status
