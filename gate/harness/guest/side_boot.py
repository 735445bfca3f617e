"""What the harnesses share that boot a side's kernel: its directory, QEMU, and the guest's files.

How a guest ended and the proof of what it was are read from the directory that it shares with us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed, TrialTimeout
from gate.formats.strict import export, last_line, quote
from gate.harness.guest.instructions_output import INTERVALS, demand_proof
from gate.harness.process import ask
from gate.vm.guest_output import fault_of, last_lines, read_answers
from gate.vm.machine import OLDEST, PROGRAM, VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.harness.base import Outcome, TrialContext
    from gate.vm.root import RootGuest


def guest_exit_status(share: Path, console: Path, outcome: Outcome, guest: RootGuest) -> int:
    """The status of what ran, in a boot that came to its end and was proven to be of the side.

    Raises:
        TrialTimeout: it was killed because its time was up.
        TrialFailed: it crashed, its kernel reported a fault, or is not the side's.
    """
    said, log = (
        read_guest_file(share / "before") + read_guest_file(share / "after"),
        read_guest_file(console),
    )
    answers = read_answers(said)
    fault = fault_of(log)
    if outcome.timed_out:
        where = "in the trial" if answers.releases else "before its kernel had booted"
        raise TrialTimeout(
            f"the guest was killed after {outcome.duration:.1f} s, {where}: its time was up; "
            f"{fault or f'it said last: {last_lines(log)}'}"
        )
    if answers.refused is not None:
        name, why = answers.refused
        raise TrialFailed(f"the module {quote(name)} does not load: {quote(why.strip())}")
    if fault:
        raise TrialFailed(fault)
    status = read_guest_file(share / "status").strip()
    if not status.isdigit() or len(answers.releases) != INTERVALS:
        last = last_line(outcome.errors) or last_lines(log) or "it said nothing"
        raise TrialFailed(f"the guest ended before its trial did: {quote(last)}")
    demand_proof(answers, guest)
    return int(status)


def demand_success(share: Path, status: int) -> None:
    """Refuse a boot whose command failed, by what it said last."""
    if status != 0:
        why = last_line(read_guest_file(share / "err")) or last_line(read_guest_file(share / "out"))
        raise TrialFailed(f"in the guest: {quote(why or 'it said nothing')} (status {status})")


def proof_of(guest: RootGuest) -> str:
    """What was proven, in a line."""
    modules = "".join(f", {one.name} {one.build_id[:12]}" for one in guest.modules)
    return f"{guest.image.release} build-id {guest.image.build_id[:12]}{modules}"


def read_guest_file(path: Path) -> str:
    """What a guest wrote; empty where it wrote nothing, which its reader reports."""
    try:
        return export(path, path.name, empty=True)
    except TrialFailed:
        return ""


_CURE = "Install QEMU 8.2 or newer: apt install qemu-system-x86 (from backports where it is older)."


def qemu_version(environment: Mapping[str, str]) -> str:
    """The emulator's version.

    Raises:
        MeasureError: it is missing (`G230`), too old, or does not say its version (`G231`).
    """
    said = ask((PROGRAM, "--version"), environment, cure=_CURE)
    match = VERSION.search(said)
    if match is None or (int(match[2]), int(match[3])) < OLDEST:
        found = match[1] if match else quote(said)
        raise MeasureError("G231", f"QEMU {found} is too old.", cure=_CURE)
    return quote(match[1])


def kernel_directory(context: TrialContext) -> Path:
    """Where the side's kernel lies.

    Raises:
        InputError: G265, it has no directory.
    """
    if context.side_directory is None:
        side = context.side.value
        raise InputError(
            "G265",
            f"the {side} side has no directory, and so no kernel.",
            place=context.profile.path,
            cure=f"Pass --{side} DIR with a kernel in it, or declare [side.{side}].",
        )
    return context.side_directory
