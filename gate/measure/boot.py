"""One command on a side's kernel, in a machine that is thrown away: what `gate boot` runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.formats.strict import export
from gate.harness.base import Command
from gate.harness.guest.booted import EMULATED
from gate.harness.guest.side_boot import guest_exit_status, proof_of
from gate.measure.process.process import run_process
from gate.vm.machine import MachineBoot, machine_command, make_disks, why_not_kvm
from gate.vm.root import lay_out_root, lay_out_share

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.harness.base import Outcome
    from gate.measure.process.stop import Stop
    from gate.model import Machine
    from gate.vm.root import RootGuest

_MEASURE_FAILED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BootRequest:
    """What to boot, and what to run there."""

    side: Path
    words: tuple[str, ...]
    modules: tuple[str, ...]
    limit: float
    """Seconds after which the machine is killed."""
    out: Path | None
    """A directory that takes what the command leaves."""
    console: Path | None
    """A file that takes what the kernel printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootResult:
    """How the command ended, and what it printed."""

    status: int
    kernel: str
    failed: str
    """Why nothing is known of the command; empty where it came to its end."""
    out: str
    err: str


def boot_side(
    request: BootRequest, machine: Machine, place: Path, stop: Stop, say: Callable[[str], None]
) -> BootResult:
    """Boot the side in an empty directory `place`, and run the words.

    Raises:
        GateError: the side cannot be booted.
        StopRequested: a signal came; the machine is gone.
    """
    side = request.side.absolute()
    guest = lay_out_root(side, request.modules, machine.disks, place / "guest", os.environ)
    share, out = place / "share", request.out
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        out = out.resolve()
    lay_out_share(guest, share, Path.cwd(), request.words, out)
    say(f"booting {proof_of(guest)}")
    why = why_not_kvm(machine.accelerator, guest.kernel.read_bytes(), os.environ)
    if why:
        say(EMULATED.format(why=why))
    boot = MachineBoot(
        kernel=guest.kernel,
        archive=guest.archive,
        directory=place,
        seed=1,
        machine=machine,
        share=share,
        kvm=not why,
        out=out,
    )
    make_disks(boot)
    argv, limit = machine_command(boot), request.limit
    command = Command(argv=argv, directory=place, environment=os.environ, timeout=limit)
    outcome = run_process(command, stop)
    console = place / "console"
    if request.console is not None and console.is_file():
        request.console.write_bytes(console.read_bytes())
    return _result(share, console, outcome, guest)


def _result(share: Path, console: Path, outcome: Outcome, guest: RootGuest) -> BootResult:
    failed = ""
    try:
        status = guest_exit_status(share, console, outcome, guest)
    except TrialFailed as failure:
        status, failed = _MEASURE_FAILED, str(failure)
    return BootResult(
        status=status,
        kernel=proof_of(guest),
        failed=failed,
        out=_printed(share / "out"),
        err=_printed(share / "err"),
    )


def _printed(path: Path) -> str:
    """What the command printed; the guest may have put something else there."""
    try:
        return export(path, path.name, empty=True)
    except TrialFailed as failure:
        return f"({failure})\n" if path.exists() else ""
