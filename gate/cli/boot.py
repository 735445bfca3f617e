"""`gate boot`: run a command on a side's kernel, in a machine that is thrown away."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import Interrupted, MeasureError, TrialFailed
from gate.formats.profile.machines import machine_of
from gate.formats.strict import export
from gate.harness.base import Command
from gate.harness.guest.booted import EMULATED
from gate.harness.guest.booted_output import guest_exit_status, proof_of
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop, StopRequested
from gate.pipeline.progress import ProgressDisplay
from gate.vm.machine import MachineBoot, machine_command, make_disks, why_not_kvm
from gate.vm.root import lay_out_root, lay_out_share

if TYPE_CHECKING:
    from gate.harness.base import Outcome
    from gate.model import Machine
    from gate.vm.root import RootGuest

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
_MEASURE_FAILED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    side: Path
    machine: Machine
    modules: tuple[str, ...]
    out: Path | None
    limit: float
    words: tuple[str, ...]


@click.command(epilog=EPILOG)
@click.argument("side", type=options.PathParam)
@click.argument("words", nargs=-1, required=True, metavar="COMMAND [WORD]...")
@click.option("--module", multiple=True, metavar="NAME [PARAMETER]...", help="Load it; repeatable.")
@click.option(
    "--disk", multiple=True, metavar="BUS:SIZE", help="An empty disk: virtio:1GiB, nvme:512MiB."
)
@click.option("--memory", default="2 GiB", show_default=True, help="Of the machine.")
@click.option("--cpus", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option(
    "--accelerator",
    type=click.Choice(["auto", "kvm", "tcg"]),
    default="auto",
    show_default=True,
    help="KVM, emulation, or KVM where a probe boot proves it usable.",
)
@click.option("--append", default="", metavar="WORDS", help="Added to the kernel's command line.")
@click.option(
    "--limit",
    metavar="TIME",
    default="10 min",
    show_default=True,
    callback=options.waiting_time,
    help="The machine is killed after it.",
)
@click.option(
    "--out", type=options.PathParam, default=None, help="A directory in which its files stay."
)
@click.option(
    "--console", type=options.PathParam, default=None, help="File for what the kernel printed."
)
@options.as_json
@click.option("--quiet", is_flag=True, help="No progress.")
def command(
    side: Path,
    words: tuple[str, ...],
    module: tuple[str, ...],
    disk: tuple[str, ...],
    memory: str,
    cpus: int,
    accelerator: str,
    append: str,
    limit: float,
    out: Path | None,
    console: Path | None,
    *,
    json_: bool,
    quiet: bool,
) -> int:
    """Boot the kernel in directory SIDE and run COMMAND on it, as root, in this directory.

    The running kernel is proven to be the one in the directory, by release, version and build-id,
    before the command and after it.
    """
    machine = machine_of(
        memory=memory, cpus=cpus, disks=disk, command_line=append, accelerator=accelerator
    )
    wanted = _Wanted(
        side=side.absolute(), machine=machine, modules=module, out=out, limit=limit, words=words
    )
    teller = ProgressDisplay(quiet=quiet)
    try:
        with (
            Stop().listening() as stop,
            tempfile.TemporaryDirectory(prefix="driftgate-boot-") as name,
        ):
            return _booted(wanted, Path(name), stop, teller, console=console, json_=json_)
    except StopRequested as request:
        cure = "Run the same command again."
        raise Interrupted(request.number, "interrupted; the machine is gone.", cure=cure) from None
    finally:
        teller.done()


def _booted(
    wanted: _Wanted,
    place: Path,
    stop: Stop,
    teller: ProgressDisplay,
    *,
    console: Path | None,
    json_: bool,
) -> int:
    guest = lay_out_root(
        wanted.side, wanted.modules, wanted.machine.disks, place / "guest", os.environ
    )
    if wanted.out is not None:
        wanted.out.mkdir(parents=True, exist_ok=True)
    share, machine = place / "share", wanted.machine
    out = wanted.out.resolve() if wanted.out is not None else None
    lay_out_share(guest, share, Path.cwd(), wanted.words, out)
    teller.say(f"booting {proof_of(guest)}")
    why = why_not_kvm(machine.accelerator, guest.kernel.read_bytes(), os.environ)
    if why:
        teller.say(EMULATED.format(why=why))
    boot = MachineBoot(
        kernel=guest.kernel,
        archive=guest.archive,
        directory=place,
        share=share,
        out=out,
        memory=machine.memory,
        cpus=machine.cpus,
        kvm=not why,
        seed=1,
        disks=machine.disks,
        command_line=machine.command_line,
    )
    make_disks(boot)
    outcome = run_process(
        Command(
            argv=machine_command(boot),
            directory=place,
            environment=os.environ,
            timeout=wanted.limit,
        ),
        stop,
    )
    if console is not None and (place / "console").is_file():
        console.write_bytes((place / "console").read_bytes())
    return _ended(share, place / "console", outcome, guest, json_=json_)


def _ended(share: Path, console: Path, outcome: Outcome, guest: RootGuest, *, json_: bool) -> int:
    failed = ""
    try:
        status = guest_exit_status(share, console, outcome, guest)
    except TrialFailed as failure:
        status, failed = _MEASURE_FAILED, str(failure)
    said = {name: _read(share / name) for name in ("out", "err")}
    if json_:
        told = {"schema": 1, "status": status, "kernel": proof_of(guest), "failed": failed, **said}
        click.echo(json.dumps(told, indent=1))
    else:
        sys.stdout.write(said["out"])
        sys.stderr.write(said["err"])
    if failed:
        raise MeasureError("G264", f"{failed}.", cure="Keep what it printed: --console FILE.")
    return status


def _read(path: Path) -> str:
    """What the command printed; the guest may have put something else there."""
    try:
        return export(path, path.name, empty=True)
    except TrialFailed as failure:
        return f"({failure})\n" if path.exists() else ""
